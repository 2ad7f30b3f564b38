#include "validation/backends/verbs/queue_pair.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace peerpath::verbs {
namespace {

constexpr std::uint8_t port = 1;
constexpr unsigned access_rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

tl::unexpected<Problem> problem(const std::string& what, int error) {
  return tl::unexpected{Problem{what + ": " + std::strerror(error), error == EOPNOTSUPP || error == ENOSYS}};
}

Result<ibv_context*> open_device(const std::string& name) {
  int count = 0;
  ibv_device** devices = ibv_get_device_list(&count);
  const std::unique_ptr<ibv_device*, void (*)(ibv_device**)> owner{devices, ibv_free_device_list};
  for (int i = 0; i < count; ++i) {
    if (!name.empty() && name != ibv_get_device_name(devices[i])) continue;
    ibv_context* context = ibv_open_device(devices[i]);
    if (context == nullptr) return problem(ibv_get_device_name(devices[i]), errno);
    return context;
  }
  return tl::unexpected{Problem{name.empty() ? "there is no RDMA device" : "there is no RDMA device " + name, true}};
}

ibv_mr* register_memory(ibv_pd* domain, const Region& region) {
  constexpr auto rights = static_cast<int>(access_rights);
  return region.dmabuf >= 0 ? ibv_reg_dmabuf_mr(domain, 0, region.bytes.size(), 0, region.dmabuf, rights)
                            : ibv_reg_mr(domain, region.bytes.data(), region.bytes.size(), rights);
}

bool is_ipv4(const ibv_gid& gid) {
  static constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(mapped.begin(), mapped.end(), gid.raw);
}

/// RoCEv2, of IPv4 rather than IPv6.
Result<ibv_gid_entry> find_gid(ibv_context* context, const ibv_port_attr& attributes) {
  ibv_gid_entry best{};
  bool found = false;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(attributes.gid_tbl_len); ++i) {
    ibv_gid_entry entry{};
    if (ibv_query_gid_ex(context, port, i, &entry, 0) != 0 || entry.gid_type != IBV_GID_TYPE_ROCE_V2) continue;
    if (!found || (is_ipv4(entry.gid) && !is_ipv4(best.gid))) best = entry;
    found = true;
  }
  if (!found) return tl::unexpected{Problem{"the RDMA device has no address for RoCEv2", true}};
  return best;
}

}  // namespace

Result<QueuePair> QueuePair::open(const std::string& device, const Region& region) {
  const auto context = open_device(device);
  if (!context) return tl::unexpected{context.error()};
  QueuePair out;
  out.context_.reset(*context);
  ibv_port_attr attributes{};
  if (const int error = ibv_query_port(*context, port, &attributes); error != 0)
    return problem("ibv_query_port", error);
  const auto gid = find_gid(*context, attributes);
  if (!gid) return tl::unexpected{gid.error()};
  out.domain_.reset(ibv_alloc_pd(*context));
  if (!out.domain_) return problem("ibv_alloc_pd", errno);
  out.memory_.reset(register_memory(out.domain_.get(), region));
  if (!out.memory_) return problem(region.dmabuf >= 0 ? "ibv_reg_dmabuf_mr" : "ibv_reg_mr", errno);
  out.local_ = region.dmabuf >= 0 ? 0 : reinterpret_cast<std::uint64_t>(region.bytes.data());
  out.completions_.reset(ibv_create_cq(*context, 2 * depth, nullptr, nullptr, 0));
  if (!out.completions_) return problem("ibv_create_cq", errno);
  ibv_qp_init_attr wanted{};
  wanted.send_cq = wanted.recv_cq = out.completions_.get();
  wanted.cap = {depth, depth, 1, 1, 0};
  wanted.qp_type = IBV_QPT_RC;
  out.pair_.reset(ibv_create_qp(out.domain_.get(), &wanted));
  if (!out.pair_) return problem("ibv_create_qp", errno);
  ibv_qp_attr init{};
  init.qp_state = IBV_QPS_INIT;
  init.port_num = port;
  init.qp_access_flags = access_rights;
  if (const int error =
          ibv_modify_qp(out.pair_.get(), &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
      error != 0) {
    return problem("queue pair to INIT", error);
  }
  out.gid_index_ = static_cast<std::uint8_t>(gid->gid_index);
  std::copy_n(gid->gid.raw, 16, out.here_.gid.begin());
  out.here_.number = out.pair_->qp_num;
  out.here_.key = out.memory_->rkey;
  out.here_.address = out.local_;
  out.here_.bytes = region.bytes.size();
  out.here_.mtu = static_cast<std::uint32_t>(attributes.active_mtu);
  return out;
}

Result<void> QueuePair::add(const Region& region) {
  added_.reset(register_memory(domain_.get(), region));
  if (!added_) return problem(region.dmabuf >= 0 ? "ibv_reg_dmabuf_mr" : "ibv_reg_mr", errno);
  added_local_ = region.dmabuf >= 0 ? 0 : reinterpret_cast<std::uint64_t>(region.bytes.data());
  return {};
}

ibv_sge QueuePair::place(Piece piece) const {
  if (piece.added) return {added_local_ + piece.offset, piece.size, added_->lkey};
  return {local_ + piece.offset, piece.size, memory_->lkey};
}

Result<void> QueuePair::connect(const Endpoint& there) {
  if (there.magic != here_.magic) return tl::unexpected{Problem{"the other end speaks another protocol", false}};
  there_ = there;
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_RTR;
  to.path_mtu = static_cast<ibv_mtu>(std::min(here_.mtu, there.mtu));
  to.dest_qp_num = there.number;
  to.rq_psn = there.sequence;
  to.max_dest_rd_atomic = 4;
  to.min_rnr_timer = 12;  // 0.64 ms
  to.ah_attr.is_global = 1;
  std::copy(there.gid.begin(), there.gid.end(), to.ah_attr.grh.dgid.raw);
  to.ah_attr.grh.sgid_index = gid_index_;
  to.ah_attr.grh.hop_limit = 64;
  to.ah_attr.port_num = port;
  int error = ibv_modify_qp(pair_.get(), &to,
                            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  if (error != 0) return problem("queue pair to RTR", error);
  to = {};
  to.qp_state = IBV_QPS_RTS;
  to.sq_psn = here_.sequence;
  to.timeout = 18;  // about a second: the other end may be emulated
  to.retry_cnt = 7;
  to.rnr_retry = 7;  // for ever
  to.max_rd_atomic = 4;
  error = ibv_modify_qp(
      pair_.get(), &to,
      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
  if (error != 0) return problem("queue pair to RTS", error);
  return {};
}

Result<void> QueuePair::post(Operation operation, std::uint64_t offset, std::uint32_t size) {
  ibv_sge piece{local_ + offset, size, memory_->lkey};
  ibv_send_wr request{}, *bad = nullptr;
  request.wr_id = size;
  request.sg_list = &piece;
  request.num_sge = 1;
  request.opcode = operation == Operation::write  ? IBV_WR_RDMA_WRITE
                   : operation == Operation::read ? IBV_WR_RDMA_READ
                                                  : IBV_WR_SEND;
  request.send_flags = IBV_SEND_SIGNALED;
  request.wr.rdma.remote_addr = there_.address + offset;
  request.wr.rdma.rkey = there_.key;
  if (const int error = ibv_post_send(pair_.get(), &request, &bad); error != 0) return problem("ibv_post_send", error);
  return {};
}

Result<std::uint64_t> QueuePair::wait_one() {
  ibv_wc done{};
  int count = 0;
  while (count == 0) count = ibv_poll_cq(completions_.get(), 1, &done);
  if (count < 0) return problem("ibv_poll_cq", EIO);
  if (done.status != IBV_WC_SUCCESS) {
    return tl::unexpected{Problem{std::string{"an operation ended in "} + ibv_wc_status_str(done.status), false}};
  }
  return done.wr_id;
}

Result<std::uint64_t> QueuePair::move(Operation operation, std::uint64_t bytes, std::uint64_t size) {
  std::uint64_t operations = 0, finished = 0;
  for (std::uint64_t offset = 0; finished < bytes;) {
    while (offset < bytes && operations < depth) {
      const auto piece = std::min(size, bytes - offset);
      if (const auto posted = post(operation, offset, static_cast<std::uint32_t>(piece)); !posted)
        return tl::unexpected{posted.error()};
      offset += piece;
      ++operations;
    }
    const auto done = wait_one();
    if (!done) return done;
    finished += *done;
    --operations;
  }
  return (bytes + size - 1) / size;
}

Result<void> QueuePair::post_receive(std::uint64_t id, Piece piece) {
  auto memory = place(piece);
  ibv_recv_wr request{}, *bad = nullptr;
  request.wr_id = id;
  request.sg_list = &memory;
  request.num_sge = 1;
  if (const int error = ibv_post_recv(pair_.get(), &request, &bad); error != 0) return problem("ibv_post_recv", error);
  return {};
}

Result<void> QueuePair::post_next_receive() {
  const auto size = std::min(piece_, expected_ - posted_);
  if (auto posted = post_receive(size, {posted_, static_cast<std::uint32_t>(size)}); !posted) return posted;
  posted_ += size;
  return {};
}

Result<void> QueuePair::post_message(std::uint64_t id, Piece piece, std::uint32_t immediate) {
  auto memory = place(piece);
  ibv_send_wr request{}, *bad = nullptr;
  request.wr_id = id;
  request.sg_list = &memory;
  request.num_sge = piece.size > 0 ? 1 : 0;
  request.opcode = IBV_WR_SEND_WITH_IMM;
  request.imm_data = htonl(immediate);
  request.send_flags = IBV_SEND_SIGNALED;
  if (const int error = ibv_post_send(pair_.get(), &request, &bad); error != 0) return problem("ibv_post_send", error);
  return {};
}

std::optional<Completion> QueuePair::poll() {
  ibv_wc done{};
  const int count = ibv_poll_cq(completions_.get(), 1, &done);
  if (count == 0) return std::nullopt;
  if (count < 0 || done.status != IBV_WC_SUCCESS) return Completion{.id = done.wr_id, .failed = true};
  const bool received = (done.opcode & IBV_WC_RECV) != 0;
  return Completion{.id = done.wr_id,
                    .received = received,
                    .bytes = received ? done.byte_len : 0,
                    .immediate = received ? ntohl(done.imm_data) : 0};
}

Result<void> QueuePair::expect(std::uint64_t bytes, std::uint64_t size) {
  expected_ = bytes;
  piece_ = size;
  for (int i = 0; i < depth && posted_ < expected_; ++i)
    if (const auto posted = post_next_receive(); !posted) return posted;
  return {};
}

Result<std::uint64_t> QueuePair::receive() {
  std::uint64_t came = 0, count = 0;
  while (came < expected_) {
    const auto done = wait_one();
    if (!done) return done;
    came += *done;
    ++count;
    if (posted_ < expected_)
      if (const auto posted = post_next_receive(); !posted) return tl::unexpected{posted.error()};
  }
  return count;
}

}  // namespace peerpath::verbs
