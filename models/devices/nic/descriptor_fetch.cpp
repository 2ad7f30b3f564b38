#include "devices/nic/descriptor_fetch.hpp"

#include <algorithm>

namespace peerpath::nic {

void DescriptorFetch::restart(const Role& role, std::uint8_t epoch) {
  role_ = role;
  epoch_ = epoch;
  consumed_ = fetched_ = requested_ = posted_ = 0;
  reads_.clear();
}

void DescriptorFetch::posted(std::uint32_t producer, Instant now, device::Outbox& out) {
  if (producer - consumed_ > role_.entries || producer - consumed_ < posted_ - consumed_) {
    ++nic_->counters.bad_doorbells;
    return;
  }
  posted_ = producer;
  fetch(now, out);
}

void DescriptorFetch::fetch(Instant now, device::Outbox& out, std::uint32_t wanted) {
  const auto prefetch = static_cast<std::uint32_t>(nic_->config.prefetch);
  const auto ahead = [&] { return requested_ - consumed_; };
  while (requested_ != posted_ && (ahead() <= prefetch || ahead() < wanted)) {
    const std::uint32_t slot = requested_ & (role_.entries - 1);
    const std::uint32_t count = std::min({prefetch, posted_ - requested_, role_.entries - slot});
    const Cookie cookie{role_.dma, epoch_, queue_, static_cast<std::uint16_t>(count), requested_};
    out.submit(descriptor_channel,
               read_from(role_.ring + role_.entry * slot, role_.entry * count, pcie::Purpose::descriptor, cookie, now));
    reads_.push_back({requested_, count, false});
    requested_ += count;
    ++nic_->counters.descriptor_reads;
    auto& ring = role_.dma == Dma::rx_descriptors ? nic_->counters.rx_ring : nic_->counters.tx_ring;
    ring.descriptors += count * role_.descriptors;
    ring.descriptor_bytes += role_.entry * count;
  }
}

bool DescriptorFetch::completed(const Cookie& cookie, pcie::Status status) {
  if (cookie.epoch != epoch_) return false;
  const auto read = std::ranges::find(reads_, cookie.value, &Read::first);
  if (read == reads_.end()) return false;
  if (status != pcie::Status::success) {  // descriptors are lost: the queue stands still until it is restarted
    ++nic_->counters.dma_errors;
    return false;
  }
  read->done = true;
  while (!reads_.empty() && reads_.front().done) {
    fetched_ += reads_.front().count;
    reads_.pop_front();
  }
  return true;
}

}  // namespace peerpath::nic
