// A reliable connection of libibverbs with one memory region: what RDMA transfers are made of.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <tl/expected.hpp>

namespace peerpath::verbs {

/// Why something could not be done. `unsupported`: no RDMA device, or its driver cannot do that.
struct Problem {
  std::string what;
  bool unsupported = false;
};
template <class T>
using Result = tl::expected<T, Problem>;

/// What an end tells the other one, byte by byte: both are this program on machines of the same byte order.
struct Endpoint {
  std::uint32_t magic = 0x50505650;
  std::uint32_t number = 0;  ///< of the queue pair
  std::uint32_t sequence = 0x1234;
  std::uint32_t key = 0;  ///< of the memory region, for the other end
  std::uint64_t address = 0, bytes = 0;
  std::array<std::uint8_t, 16> gid{};
  std::uint32_t mtu = 0, reserved = 0;  ///< as enum ibv_mtu
};

/// Memory to register: of the process, or of a dma-buf (>= 0), whose mapping `bytes` is then.
struct Region {
  std::span<unsigned char> bytes;
  int dmabuf = -1;
};

/// One operation of `size` bytes at `offset` in both regions.
enum class Operation : std::uint8_t { write, read, send };

/// What came of a work request of `post_message` or `post_receive`.
struct Completion {
  std::uint64_t id = 0;
  bool received = false;  ///< a message came, else one has gone
  bool failed = false;    ///< and so will all that follow
  std::uint32_t bytes = 0, immediate = 0;
};

/// Device, queues and memory of one end. Move-only.
class QueuePair {
 public:
  static constexpr int depth = 64;  ///< operations that may be under way

  /// `device` by name; empty: the first one. Takes a RoCEv2 address for IPv4 if there is one, else any of RoCEv2.
  static Result<QueuePair> open(const std::string& device, const Region& region);
  /// Registers memory besides, for messages: a dma-buf that the device's driver may refuse.
  Result<void> add(const Region& region);

  const Endpoint& here() const { return here_; }
  /// Nothing of its memory is touched afterwards.
  void close() { pair_.reset(); }
  /// To RTR and RTS. Packets are as large as both ends allow.
  Result<void> connect(const Endpoint& there);
  /// Does `bytes` of the region from offset 0 on by operations of at most `size`, `depth` at a time, to the end.
  Result<std::uint64_t> move(Operation operation, std::uint64_t bytes, std::uint64_t size);
  /// Posts receives for what the other end sends of these sizes, as many as there is room for.
  Result<void> expect(std::uint64_t bytes, std::uint64_t size);
  /// Waits until all of it came, posting further receives.
  Result<std::uint64_t> receive();

  // Or message by message, at most `depth` of each kind under way. Nothing here waits.
  /// Where a message lies: in the region, or in the one that was added.
  struct Piece {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
    bool added = false;
  };
  /// Sends bytes, and a word beside them.
  Result<void> post_message(std::uint64_t id, Piece piece, std::uint32_t immediate);
  Result<void> post_receive(std::uint64_t id, Piece piece);
  /// None: nothing has come about.
  std::optional<Completion> poll();

 private:
  template <class T>
  using Handle = std::unique_ptr<T, int (*)(T*)>;

  ibv_sge place(Piece piece) const;
  Result<void> post(Operation operation, std::uint64_t offset, std::uint32_t size);
  Result<void> post_next_receive();
  /// Bytes of a finished operation's work request.
  Result<std::uint64_t> wait_one();

  Handle<ibv_context> context_{nullptr, ibv_close_device};
  Handle<ibv_pd> domain_{nullptr, ibv_dealloc_pd};
  Handle<ibv_mr> memory_{nullptr, ibv_dereg_mr}, added_{nullptr, ibv_dereg_mr};
  Handle<ibv_cq> completions_{nullptr, ibv_destroy_cq};
  Handle<ibv_qp> pair_{nullptr, ibv_destroy_qp};
  Endpoint here_, there_;
  std::uint64_t local_ = 0, added_local_ = 0;  ///< addresses of the regions' first bytes for local access
  std::uint8_t gid_index_ = 0;
  std::uint64_t expected_ = 0, posted_ = 0, piece_ = 0;
};

}  // namespace peerpath::verbs
