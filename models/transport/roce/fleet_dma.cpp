// NICs of hosts whose PCIe is simulated beside the network. The host computes ahead of the network by the time that a
// request takes in the NIC, once in that time while something is under way: so the end of each write and read is known
// before it comes.
#include <algorithm>

#include "peerpath/base/fail.hpp"
#include "transport/roce/fleet.hpp"

namespace peerpath::roce {
namespace {

constexpr std::int64_t work_request = 64;

}  // namespace

/// A packet goes from the receive buffer to memory once its context and translations are there, and holds its place
/// until memory has taken it in.
void Fleet::write_in(Nic& nic, HostIndex host, QpIndex number, std::uint32_t length) {
  const auto now = arriving_at_;
  nic.holding.push({.bytes = arriving_, .payload = length, .qp = number});
  nic.held += arriving_;
  nic.dma->write(Bytes{length}, std::max(now, nic.looked_up));
  keep_ticking(nic, host, now);
  pause_if_full(nic, host, now);
}

/// Of what has no data the work request stands for it: packets keep their order.
void Fleet::read_out(Nic& nic, HostIndex host, std::uint32_t length, Instant now) {
  nic.dma->read(Bytes{length > 0 ? length : work_request}, now);
  keep_ticking(nic, host, now);
}

void Fleet::keep_ticking(Nic& nic, HostIndex host, Instant now) {
  if (nic.ticking) return;
  nic.ticking = true;
  network_->wake_at(now + nic.dma->latency(), host, tick);
}

/// Lets the host compute, and takes note of what will be over when.
void Fleet::advance(Nic& nic, HostIndex host, Instant now) {
  auto& dma = *nic.dma;
  dma.advance(now + dma.latency());
  for (; !dma.written.empty(); dma.written.pop()) {
    auto& held = nic.holding[nic.known++];
    held.out = dma.written.front();
    require(held.out >= now, "a host reports a write before it has ended");
    if (held.ends > 0) network_->wake_at(held.out, host, written);
  }
  for (; !dma.fetched.empty(); dma.fetched.pop()) nic.staged[nic.ready++].ready = dma.fetched.front();
  let_out(nic, now);
  resume(nic, host, now);
  if (nic.ready > 0) wake_later(nic, host, std::max(now, nic.staged.front().ready));
  nic.ticking = false;
  if (nic.known < nic.holding.size() || nic.ready < nic.staged.size()) keep_ticking(nic, host, now);
}

/// Messages are whole in memory.
void Fleet::end_messages(Nic& nic, Instant now) {
  while (!nic.holding.empty() && nic.holding.front().out <= now) {
    const auto ends = nic.holding.front().ends;
    release(nic);
    for (int i = 0; i < ends; ++i) {
      const auto number = nic.ends.front();
      nic.ends.pop();
      end_of_message(number, now);
    }
  }
}

}  // namespace peerpath::roce
