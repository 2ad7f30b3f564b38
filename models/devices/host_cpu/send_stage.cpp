#include "devices/host_cpu/send_stage.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::host_cpu {

SendStage::SendStage(DriverContext& host, const BounceSetup& setup, Bytes packet)
    : host_{&host}, setup_{setup}, packet_{packet}, places_{static_cast<std::uint32_t>(setup.staging.size / packet)} {
  require(places_ > 0, "the staging memory must hold a packet");
}

Instant SendStage::fetch(std::uint32_t packets, Instant now, Core& core, device::Outbox& out) {
  Instant done = now;
  while (packets > 0) {
    const auto some = std::min(packets, places_ - next_);
    const Bytes at = packet_ * next_;
    const auto handle = host_->copies.add({.direction = CopyDirection::from_gpu,
                                           .host = setup_.staging.base + at,
                                           .gpu = setup_.gpu_memory + at,
                                           .bytes = packet_ * some,
                                           .completion = setup_.completion});
    copies_.push_back({handle, some});
    ++host_->counters.copies;
    next_ = (next_ + some) % places_;
    used_ += some;
    packets -= some;
    done = core.run(now, host_->config.doorbell_cost);
    ring(*host_, setup_.doorbell, handle, copy_doorbell_size, done, out);
  }
  return done;
}

bool SendStage::completed(std::uint64_t handle) {
  const auto copy = std::ranges::find_if(copies_, [&](const Copy& c) { return c.handle == handle && !c.done; });
  if (copy == copies_.end()) return false;
  copy->done = true;
  copy->moved = !host_->copies.at(handle).failed;
  host_->copies.remove(handle);
  for (; !copies_.empty() && copies_.front().done; copies_.pop_front())
    intact_.insert(intact_.end(), copies_.front().packets, copies_.front().moved);
  return true;
}

void SendStage::take(std::uint32_t packets) {
  require(packets <= whole(), "a packet is sent from pinned memory before it has arrived there");
  intact_.erase(intact_.begin(), intact_.begin() + packets);
}

}  // namespace peerpath::host_cpu
