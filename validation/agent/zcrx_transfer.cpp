// io_uring's zero-copy receive (Documentation/networking/iou-zcrx.rst of the kernel).
#include <liburing.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <optional>

#include "validation/agent/connection.hpp"
#include "validation/agent/kernel_api.hpp"
#include "validation/agent/steering.hpp"
#include "validation/agent/transfer.hpp"

namespace peerpath::agent {
namespace {

constexpr std::uint32_t refill_entries = 4096;

/// A ring of 32-byte completions, and the refill ring that buffers go back by.
class Zcrx {
 public:
  Zcrx() = default;
  Zcrx(const Zcrx&) = delete;
  Zcrx& operator=(const Zcrx&) = delete;
  ~Zcrx() {
    if (ready_) io_uring_queue_exit(&ring_);
    if (refill_ != nullptr) ::munmap(refill_, refill_size);
  }

  Expected<void> start(const Traffic& traffic, const Buffer& buffer) {
    io_uring_params params{};
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQE32;
    if (const int error = io_uring_queue_init_params(512, &ring_, &params)) return failure("io_uring", -error);
    ready_ = true;
    void* memory = ::mmap(nullptr, refill_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return failure("mmap of the refill ring");
    refill_ = static_cast<unsigned char*>(memory);

    kernel::RegionDescription region{};
    region.user_addr = reinterpret_cast<std::uint64_t>(refill_);
    region.size = refill_size;
    region.flags = kernel::ioring_mem_region_type_user;
    kernel::ZcrxArea area{};
    area.len = buffer.bytes().size();
    if (buffer.dmabuf() >= 0) {
      area.flags = kernel::ioring_zcrx_area_dmabuf;
      area.dmabuf_fd = static_cast<std::uint32_t>(buffer.dmabuf());
    } else {
      area.addr = reinterpret_cast<std::uint64_t>(buffer.bytes().data());
    }
    kernel::ZcrxRegister request{};
    request.if_idx = ::if_nametoindex(traffic.interface.c_str());
    request.if_rxq = static_cast<std::uint32_t>(traffic.queue);
    request.rq_entries = refill_entries;
    request.area_ptr = reinterpret_cast<std::uint64_t>(&area);
    request.region_ptr = reinterpret_cast<std::uint64_t>(&region);
    if (::syscall(SYS_io_uring_register, ring_.ring_fd, kernel::ioring_register_zcrx_ifq, &request, 1) != 0) {
      return failure("io_uring zero-copy receive");
    }
    offsets_ = request.offsets;
    entries_ = request.rq_entries;
    token_ = area.rq_area_token;
    return {};
  }

  void receive_from(int socket) {
    auto* entry = io_uring_get_sqe(&ring_);
    io_uring_prep_rw(static_cast<int>(kernel::ioring_op_recv_zc), entry, socket, nullptr, 0, 0);
    entry->ioprio |= IORING_RECV_MULTISHOT;
  }

  /// Waits for data, counts it and gives the buffers back; false at the end of the stream.
  Expected<bool> turn(const Traffic& traffic, const Buffer& buffer, int socket, Outcome& outcome) {
    if (const int error = io_uring_submit_and_wait(&ring_, 1); error < 0) return failure("io_uring wait", -error);
    unsigned head = 0, seen = 0;
    bool again = false, ended = false;
    io_uring_cqe* completion = nullptr;
    std::optional<Failure> problem;
    io_uring_for_each_cqe(&ring_, head, completion) {
      ++seen;
      if (completion->res < 0) {
        problem = failure("receive", -completion->res).value();
        continue;
      }
      if (completion->res == 0) {
        ended = true;
        continue;
      }
      again = again || (completion->flags & IORING_CQE_F_MORE) == 0;
      kernel::ZcrxCompletion place{};
      std::memcpy(&place, completion + 1, sizeof place);
      const auto offset = place.off & ((std::uint64_t{1} << kernel::ioring_zcrx_area_shift) - 1);
      const auto size = static_cast<std::uint64_t>(completion->res);
      if (auto counted = count_piece(traffic, buffer, offset, size, outcome); !counted) {
        problem = counted.error();
        continue;
      }
      give_back(offset, static_cast<std::uint32_t>(size));
    }
    io_uring_cq_advance(&ring_, seen);
    if (problem) return tl::unexpected{*problem};
    if (again && !ended) receive_from(socket);
    return !ended;
  }

 private:
  static constexpr std::size_t refill_size = 4096 + refill_entries * sizeof(kernel::ZcrxRefill);

  void give_back(std::uint64_t offset, std::uint32_t size) {
    auto* entries = reinterpret_cast<kernel::ZcrxRefill*>(refill_ + offsets_.rqes);
    entries[tail_ % entries_] = {offset | token_, size, 0};
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(refill_ + offsets_.tail), ++tail_, __ATOMIC_RELEASE);
  }

  io_uring ring_{};
  bool ready_ = false;
  unsigned char* refill_ = nullptr;
  kernel::ZcrxOffsets offsets_{};
  std::uint32_t entries_ = 0, tail_ = 0;
  std::uint64_t token_ = 0;
};

}  // namespace

Expected<Outcome> receive_by_zcrx(const Traffic& traffic) {
  const auto buffer = make_buffer(traffic.memory);
  if (!buffer) return tl::unexpected{buffer.error()};
  const auto steering = steer(traffic);
  if (!steering) return tl::unexpected{steering.error()};
  Zcrx zcrx;
  if (auto done = zcrx.start(traffic, *buffer); !done) return tl::unexpected{done.error()};
  const auto listener = listen_at(traffic);
  if (!listener) return tl::unexpected{listener.error()};
  const auto connection = accept_one(*listener);
  if (!connection) return tl::unexpected{connection.error()};
  Outcome outcome;
  double start = 0;
  zcrx.receive_from(connection->get());
  for (;;) {
    const auto more = zcrx.turn(traffic, *buffer, connection->get(), outcome);
    if (!more) return tl::unexpected{more.error()};
    if (!*more) return outcome;
    if (start == 0) start = now();
    outcome.seconds = now() - start;
  }
}

}  // namespace peerpath::agent
