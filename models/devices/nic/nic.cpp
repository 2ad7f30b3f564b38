#include "devices/nic/nic.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace peerpath::nic {

Nic::Nic(const device::NicConfig& config, std::shared_ptr<QueueMemory> memory, BusAddress doorbells)
    : memory_{std::move(memory)}, doorbells_{doorbells}, datapath_{config, *memory_} {}

Bytes Nic::doorbell_bar(const device::NicConfig& config) {
  const auto bytes = static_cast<std::uint64_t>(config.queues) * 16;
  return Bytes{static_cast<std::int64_t>(std::max<std::uint64_t>(std::bit_ceil(bytes), 4096))};
}

void Nic::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  if (delivery.kind == fabric::DeliveryKind::completed) return datapath_.read_completed(delivery, out);
  if (delivery.kind == fabric::DeliveryKind::sent) return datapath_.completions_sent(delivery, out);
  if (delivery.kind != fabric::DeliveryKind::arrived || delivery.purpose != pcie::Purpose::doorbell) return;
  const std::int64_t offset = (BusAddress{delivery.address} - doorbells_).count();
  if (offset < 0 || offset >= 16 * memory_->queues()) return;
  datapath_.doorbell(QueueIndex{static_cast<std::uint16_t>(offset / 16)}, static_cast<Doorbell>(offset % 16 / 4),
                     static_cast<std::uint32_t>(delivery.cookie), delivery.done, out);
}

void Nic::on_computed(const fabric::Delivery& delivery) {
  if (delivery.kind == fabric::DeliveryKind::sent) return datapath_.frame_sent_computed(delivery);
  if (delivery.kind == fabric::DeliveryKind::arrived) datapath_.write_computed(delivery);
}

void Nic::on_wake(device::TimerId timer, Instant now, device::Outbox& out) { datapath_.on_timer(timer, now, out); }

void Nic::on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) {
  if (port == 0) datapath_.on_frame(frame, now, out);
}

}  // namespace peerpath::nic
