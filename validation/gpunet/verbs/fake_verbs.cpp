#include "validation/gpunet/verbs/fake_verbs.hpp"

#include <infiniband/verbs.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

namespace peerpath::gpunet::fake {
namespace {

struct Memory {
  ibv_mr mr{};
  unsigned char* base = nullptr;  ///< of address 0
  bool dmabuf = false;
  std::size_t bytes = 0;
};
struct Send {
  ibv_send_wr request{};
  ibv_sge piece{};
  int wait = 0;
};
struct Receive {
  std::uint64_t id = 0;
  ibv_sge piece{};
};
struct Queue {
  ibv_cq cq{};
  std::deque<ibv_wc> done;
};
struct Pair {
  ibv_qp qp{};
  std::uint32_t peer = 0;
  std::deque<Send> sends;
  std::deque<Receive> receives;
};

// One lock for all: a proxy's threads poll and post side by side.
std::mutex mutex;
std::map<std::uint32_t, Memory*> memories;
std::map<std::uint32_t, Pair*> pairs;
std::uint32_t last_number = 100;
ibv_device device{};

Queue& queue_of(ibv_cq* cq) { return *reinterpret_cast<Queue*>(cq); }
Pair& pair_of(ibv_qp* qp) { return *reinterpret_cast<Pair*>(qp); }

void deliver(Pair& from, const Send& send) {
  auto& to = *pairs.at(from.peer);
  const auto receive = to.receives.front();
  to.receives.pop_front();
  const std::uint32_t bytes = send.request.num_sge > 0 ? send.piece.length : 0;
  if (bytes > 0) {
    const auto &source = *memories.at(send.piece.lkey), &target = *memories.at(receive.piece.lkey);
    nic().copy(target.base + receive.piece.addr, source.base + send.piece.addr, bytes);
    (source.dmabuf ? nic().from_dmabuf : nic().from_host) += bytes;
    (target.dmabuf ? nic().into_dmabuf : nic().into_host) += bytes;
  }
  ibv_wc came{}, gone{};
  came.wr_id = receive.id;
  came.opcode = IBV_WC_RECV;
  came.byte_len = bytes;
  came.imm_data = send.request.imm_data;
  gone.wr_id = send.request.wr_id;
  gone.opcode = IBV_WC_SEND;
  queue_of(to.qp.recv_cq).done.push_back(came);
  queue_of(from.qp.send_cq).done.push_back(gone);
}

int post_send(ibv_qp* qp, ibv_send_wr* request, ibv_send_wr**) {
  const std::lock_guard lock{mutex};
  Send send{*request, {}, nic().delay};
  if (request->num_sge > 0) send.piece = *request->sg_list;
  pair_of(qp).sends.push_back(send);
  return 0;
}

int post_receive(ibv_qp* qp, ibv_recv_wr* request, ibv_recv_wr**) {
  const std::lock_guard lock{mutex};
  pair_of(qp).receives.push_back({request->wr_id, *request->sg_list});
  return 0;
}

int poll(ibv_cq* cq, int, ibv_wc* out) {
  const std::lock_guard lock{mutex};
  for (auto& [number, pair] : pairs) {
    if (pair->qp.send_cq != cq || pair->sends.empty() || --pair->sends.front().wait > 0) continue;
    const auto peer = pairs.find(pair->peer);
    if (peer == pairs.end() || peer->second->receives.empty()) continue;
    deliver(*pair, pair->sends.front());
    pair->sends.pop_front();
  }
  auto& done = queue_of(cq).done;
  if (done.empty()) return 0;
  *out = done.front();
  done.pop_front();
  return 1;
}

ibv_mr* add(Memory* memory, ibv_pd* pd) {
  const std::lock_guard lock{mutex};
  memory->mr.context = pd->context;
  memory->mr.lkey = memory->mr.rkey = ++last_number;
  memories[memory->mr.lkey] = memory;
  return &memory->mr;
}

}  // namespace

Nic mapping_nic() {
  Nic nic;
  nic.map = [](int dmabuf, std::size_t bytes) -> unsigned char* {
    auto* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
    return base == MAP_FAILED ? nullptr : static_cast<unsigned char*>(base);
  };
  nic.unmap = [](unsigned char* at, std::size_t bytes) { ::munmap(at, bytes); };
  nic.copy = [](unsigned char* to, const unsigned char* from, std::size_t bytes) { std::memcpy(to, from, bytes); };
  return nic;
}

Nic& nic() {
  static Nic one = mapping_nic();
  return one;
}

}  // namespace peerpath::gpunet::fake

using namespace peerpath::gpunet::fake;

extern "C" {

// What a static libibverbs is asked for its drivers with.
void ibv_static_providers(void*, ...) {}
struct verbs_device_ops {
  int nothing;
};
extern const verbs_device_ops verbs_provider_all, verbs_provider_none;
const verbs_device_ops verbs_provider_all{}, verbs_provider_none{};

ibv_device** ibv_get_device_list(int* count) {
  *count = 1;
  return new ibv_device* [2] { &device, nullptr };
}
void ibv_free_device_list(ibv_device** list) { delete[] list; }
const char* ibv_get_device_name(ibv_device*) { return "fake0"; }
ibv_context* ibv_open_device(ibv_device*) {
  auto* context = new ibv_context{};
  context->device = &device;
  context->ops.post_send = post_send;
  context->ops.post_recv = post_receive;
  context->ops.poll_cq = poll;
  return context;
}
int ibv_close_device(ibv_context* context) { return delete context, 0; }
#undef ibv_query_port
int ibv_query_port(ibv_context*, std::uint8_t, _compat_ibv_port_attr* compat) {
  auto* attributes = reinterpret_cast<ibv_port_attr*>(compat);
  attributes->gid_tbl_len = 1;
  attributes->active_mtu = IBV_MTU_4096;
  return 0;
}
int _ibv_query_gid_ex(ibv_context*, std::uint32_t, std::uint32_t, ibv_gid_entry* entry, std::uint32_t, std::size_t) {
  *entry = {};
  entry->gid_type = IBV_GID_TYPE_ROCE_V2;
  return 0;
}
ibv_pd* ibv_alloc_pd(ibv_context* context) { return new ibv_pd{context, 0}; }
int ibv_dealloc_pd(ibv_pd* pd) { return delete pd, 0; }
#undef ibv_reg_mr
ibv_mr* ibv_reg_mr(ibv_pd* pd, void*, std::size_t bytes, int) {
  auto* memory = new Memory;
  memory->bytes = bytes;  // addresses are those of the process
  return add(memory, pd);
}
#undef ibv_reg_mr_iova
ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* at, std::size_t bytes, std::uint64_t, unsigned rights) {
  return ibv_reg_mr(pd, at, bytes, static_cast<int>(rights));
}
ibv_mr* ibv_reg_dmabuf_mr(ibv_pd* pd, std::uint64_t, std::size_t bytes, std::uint64_t, int file, int) {
  ++nic().dmabuf_registrations;
  if (!nic().takes_dmabufs) return errno = EOPNOTSUPP, nullptr;
  auto* base = nic().map(file, bytes);
  if (base == nullptr) return nullptr;
  auto* memory = new Memory;
  memory->base = base;
  memory->bytes = bytes;
  memory->dmabuf = true;
  return add(memory, pd);
}
int ibv_dereg_mr(ibv_mr* mr) {
  auto* memory = reinterpret_cast<Memory*>(mr);
  const std::lock_guard lock{mutex};
  memories.erase(mr->lkey);
  if (memory->dmabuf) nic().unmap(memory->base, memory->bytes);
  return delete memory, 0;
}
ibv_cq* ibv_create_cq(ibv_context* context, int, void*, ibv_comp_channel*, int) {
  auto* queue = new Queue;
  queue->cq.context = context;
  return &queue->cq;
}
int ibv_destroy_cq(ibv_cq* cq) { return delete &queue_of(cq), 0; }
ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* wanted) {
  auto* pair = new Pair;
  pair->qp.context = pd->context;
  pair->qp.send_cq = wanted->send_cq;
  pair->qp.recv_cq = wanted->recv_cq;
  const std::lock_guard lock{mutex};
  pair->qp.qp_num = ++last_number;
  pairs[pair->qp.qp_num] = pair;
  return &pair->qp;
}
int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attributes, int mask) {
  const std::lock_guard lock{mutex};
  if ((mask & IBV_QP_DEST_QPN) != 0) pair_of(qp).peer = attributes->dest_qp_num;
  return 0;
}
int ibv_destroy_qp(ibv_qp* qp) {
  const std::lock_guard lock{mutex};
  pairs.erase(qp->qp_num);
  return delete &pair_of(qp), 0;
}
const char* ibv_wc_status_str(ibv_wc_status) { return "a status"; }

}  // extern "C"
