#include "devices/host_cpu/copy_stage.hpp"

#include <algorithm>
#include <utility>

namespace peerpath::host_cpu {

bool CopyStage::room(Bytes bytes) const {
  const Bytes to_end = setup_.staging.size - head_;
  const Bytes skip = bytes > to_end ? to_end : Bytes{0};
  return used_ + skip + bytes <= setup_.staging.size;
}

void CopyStage::append(Bytes bytes, nic::PacketIndex packet, bool last, Instant now, Core& core, device::Outbox& out) {
  const Bytes to_end = setup_.staging.size - head_;
  if (bytes > to_end) {
    flush(now, core, out);
    skipped_ += to_end;
    used_ += to_end;
    head_ = Bytes{0};
  }
  if (gathered_ == Bytes{0}) gathered_from_ = head_;
  head_ += bytes;
  used_ += bytes;
  gathered_ += bytes;
  if (last) gathered_packets_.push_back(packet);
}

void CopyStage::flush(Instant now, Core& core, device::Outbox& out) {
  if (gathered_ == Bytes{0} && gathered_packets_.empty()) return;
  const auto handle = host_->copies.add({.host = setup_.staging.base + gathered_from_,
                                         .gpu = setup_.gpu_memory + gathered_from_,
                                         .bytes = gathered_,
                                         .completion = setup_.completion});
  copies_.push_back({handle, gathered_ + skipped_, std::exchange(gathered_packets_, {}), false});
  gathered_ = skipped_ = Bytes{0};
  ++host_->counters.copies;
  const Instant done = core.run(now, host_->config.doorbell_cost);
  ring(*host_, setup_.doorbell, handle, copy_doorbell_size, done, out);
}

std::optional<bool> CopyStage::completed(std::uint64_t handle, std::vector<nic::PacketIndex>& packets) {
  const auto copy = std::ranges::find_if(copies_, [&](const Copy& c) { return c.handle == handle && !c.done; });
  if (copy == copies_.end()) return std::nullopt;
  packets = std::exchange(copy->packets, {});
  copy->done = true;
  const bool moved = !host_->copies.at(handle).failed;
  host_->copies.remove(handle);
  while (!copies_.empty() && copies_.front().done) {
    used_ -= copies_.front().space;
    copies_.pop_front();
  }
  return moved;
}

}  // namespace peerpath::host_cpu
