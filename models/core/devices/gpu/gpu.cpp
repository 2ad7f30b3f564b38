#include "core/devices/gpu/gpu.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::gpu {

std::optional<BusAddress> Aperture::to_bus(GpuAddress address) const {
  if (address.value() >= static_cast<std::uint64_t>(size_.count())) return {};
  return BusAddress{base_.value() + address.value()};
}

std::optional<GpuAddress> Aperture::to_gpu(BusAddress address) const {
  if (address < base_ || address - base_ >= size_) return {};
  return GpuAddress{address.value() - base_.value()};
}

fabric::Endpoint fabric_endpoint(const device::GpuConfig& config) {
  fabric::Endpoint e;
  e.max_payload = config.function.max_payload;
  e.max_read_request = config.function.max_read_request;
  e.max_completion = config.function.max_payload;
  e.tags = config.function.tags;
  e.completion_timeout = config.function.completion_timeout;
  e.service[static_cast<std::size_t>(pcie::TlpClass::posted)].rate = config.write_rate;
  e.read_latency = config.read_latency;
  e.read_rate = config.read_rate;
  e.channels = config.copy_engines;
  e.one_queue = config.function.one_queue;
  return e;
}

pcie::FunctionIdentity identity(const device::GpuConfig& config, pcie::LinkShape link) {
  pcie::FunctionIdentity id;
  id.class_code = 0x030200;  // display controller, 3D
  id.max_payload_supported = config.function.max_payload_supported;
  id.link = link;
  id.ten_bit_tags = config.function.tags > 256;
  id.bars = {{.index = register_bar, .size = register_bar_size},
             {.index = memory_bar, .size = config.bar_size, .prefetchable = true, .fixed = config.bar_address}};
  return id;
}

Gpu::Gpu(const device::GpuConfig& config, const host_cpu::CopyRequests& requests, CopyEngineShape shape)
    : setup_{config.copy_setup},
      requests_{requests},
      shape_{shape},
      engines_(static_cast<std::size_t>(config.copy_engines)) {
  require(shape.chunk > Bytes{0} && shape.outstanding > 0, "a copy engine reads something at a time");
}

void Gpu::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  if (delivery.kind == fabric::DeliveryKind::arrived) {
    if (delivery.purpose == pcie::Purpose::doorbell) ring(delivery.cookie, delivery.done, out);
    return;
  }
  if (delivery.kind != fabric::DeliveryKind::completed) return;
  const auto engine = static_cast<std::size_t>(delivery.channel.value() - 1);
  auto& self = engines_[engine];
  auto& copy = copies_.at(delivery.cookie);
  if (delivery.status != pcie::Status::success) copy.failed = true;
  --copy.in_flight;
  if (--self.in_flight == 0) counters_.busy += delivery.done - self.busy_since;
  if (copy.in_flight == 0 && copy.issued == copy.request.bytes) finish(delivery.cookie, engine, delivery.done, out);
  issue(engine, delivery.done, out);
}

void Gpu::on_wake(device::TimerId timer, Instant now, device::Outbox& out) { issue(timer.value(), now, out); }

void Gpu::ring(std::uint64_t handle, Instant now, device::Outbox& out) {
  const auto& request = requests_.at(handle);
  const auto chosen = std::ranges::min_element(engines_, {}, &Engine::left);
  const auto engine = static_cast<std::size_t>(chosen - engines_.begin());
  const std::uint64_t ticket = tickets_++;
  copies_[ticket] = {.request = request, .handle = handle, .start = now + setup_};
  if (request.bytes == Bytes{0}) {
    finish(ticket, engine, now + setup_, out);
    return;
  }
  chosen->left += request.bytes;
  chosen->queue.push_back(ticket);
  if (chosen->queue.size() == 1) issue(engine, now, out);
}

void Gpu::issue(std::size_t engine, Instant now, device::Outbox& out) {
  auto& self = engines_[engine];
  while (!self.queue.empty() && self.in_flight < shape_.outstanding) {
    const auto ticket = self.queue.front();
    auto& copy = copies_.at(ticket);
    if (copy.start > now) {
      out.wake_at(device::TimerId{static_cast<std::uint16_t>(engine)}, copy.start);
      return;
    }
    const auto from = copy.request.source.address + copy.issued;
    const auto chunk = static_cast<std::uint64_t>(shape_.chunk.count());
    const Bytes to_boundary{static_cast<std::int64_t>(chunk - from.value() % chunk)};
    const Bytes size = std::min(to_boundary, copy.request.bytes - copy.issued);
    out.submit(fabric::ChannelIndex{static_cast<std::uint16_t>(engine + 1)}, {.cookie = ticket,
                                                                              .target = copy.request.source.node,
                                                                              .op = pcie::Operation::memory_read,
                                                                              .purpose = pcie::Purpose::payload,
                                                                              .notify_requester = true,
                                                                              .address = from.value(),
                                                                              .bytes = size,
                                                                              .ready = now});
    if (self.in_flight++ == 0) self.busy_since = now;
    ++copy.in_flight;
    copy.issued += size;
    self.left -= size;
    if (copy.issued == copy.request.bytes) self.queue.pop_front();
  }
}

void Gpu::finish(std::uint64_t ticket, std::size_t engine, Instant now, device::Outbox& out) {
  const auto node = copies_.extract(ticket);
  const auto& copy = node.mapped();
  ++counters_.copies;
  counters_.failed += copy.failed ? 1 : 0;
  counters_.bytes += copy.request.bytes;
  out.submit(fabric::ChannelIndex{static_cast<std::uint16_t>(engine + 1)},
             {.cookie = copy.handle,
              .target = copy.request.completion.node,
              .op = pcie::Operation::memory_write,
              .purpose = pcie::Purpose::completion_entry,
              .notify_target = true,
              .address = copy.request.completion.address.value(),
              .bytes = host_cpu::copy_completion_size,
              .ready = now});
}

}  // namespace peerpath::gpu
