#include "devices/gpu/gpu.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/fail.hpp"
#include "peerpath/device/function_endpoint.hpp"

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
  auto e = device::endpoint_of(config.function, config.copy_engines);
  if (config.copies) e.max_read_request = std::min(e.max_read_request, config.copies->request);
  e.service[static_cast<std::size_t>(pcie::TlpClass::posted)].rate = config.write_rate;
  e.read_latency = config.read_latency;
  e.read_rate = config.read_rate;
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

Gpu::Gpu(const device::GpuConfig& config, CopyEngineShape shape)
    : setup_{config.copy_setup}, shape_{shape}, engines_(static_cast<std::size_t>(config.copy_engines)) {
  require(shape.chunk > Bytes{0} && shape.outstanding > 0, "a copy engine needs at least one read in flight");
}

Duration Gpu::busy_until(Instant now) const {
  auto sum = busy_;
  for (const auto& engine : engines_)
    if (engine.in_flight > 0) sum += now - engine.busy_since;
  return sum;
}

void Gpu::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  if (delivery.purpose == pcie::Purpose::payload) return moved(delivery, out);
  if (delivery.kind == fabric::DeliveryKind::arrived && delivery.purpose == pcie::Purpose::doorbell)
    ring(delivery, out);
}

void Gpu::moved(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto found = copies_.find(delivery.cookie);
  // What peers write arrives here, what the engines write in host memory.
  if (found == copies_.end() || delivery.target != found->second.request.host.node) return;
  const auto engine = static_cast<std::size_t>(delivery.channel.value() - 1);
  auto& self = engines_[engine];
  auto& copy = found->second;
  if (delivery.status != pcie::Status::success && !std::exchange(copy.failed, true)) copy.asked->fail(copy.handle);
  --copy.in_flight;
  if (--self.in_flight == 0) busy_ += delivery.done - self.busy_since;
  if (copy.in_flight == 0 && copy.issued == copy.request.bytes) {
    if (copy.request.direction == host_cpu::CopyDirection::to_gpu) write_completion(copy, engine, delivery.done, out);
    count(delivery.cookie);
  }
  issue(engine, delivery.done, out);
}

void Gpu::on_wake(device::TimerId timer, Instant now, device::Outbox& out) { issue(timer.value(), now, out); }

void Gpu::ring(const fabric::Delivery& doorbell, device::Outbox& out) {
  const auto now = doorbell.done;
  const auto host = requests_.find(doorbell.requester);
  require(host != requests_.end(), "a GPU was asked to copy for an unknown host");
  const auto& request = host->second->at(doorbell.cookie);
  const auto chosen = std::ranges::min_element(engines_, {}, [&](const CopyEngine& e) {
    const bool at_work = !e.queue.empty() || e.in_flight > 0;
    return std::pair{at_work && e.newest != request.direction, e.left};
  });
  const auto engine = static_cast<std::size_t>(chosen - engines_.begin());
  const std::uint64_t ticket = tickets_++;
  auto& copy =
      copies_[ticket] = {.asked = host->second, .request = request, .handle = doorbell.cookie, .start = now + setup_};
  if (request.bytes == Bytes{0}) {
    write_completion(copy, engine, copy.start, out);
    return count(ticket);
  }
  chosen->newest = request.direction;
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
    if (self.in_flight > 0 && self.moving != copy.request.direction) return;
    self.moving = copy.request.direction;
    const bool reads = self.moving == host_cpu::CopyDirection::to_gpu;
    const auto at = copy.request.host.address + copy.issued;
    const auto chunk = static_cast<std::uint64_t>(shape_.chunk.count());
    const Bytes to_boundary{static_cast<std::int64_t>(chunk - at.value() % chunk)};
    const Bytes size = std::min(to_boundary, copy.request.bytes - copy.issued);
    out.submit(fabric::ChannelIndex{static_cast<std::uint16_t>(engine + 1)},
               {.cookie = ticket,
                .target = copy.request.host.node,
                .op = reads ? pcie::Operation::memory_read : pcie::Operation::memory_write,
                .purpose = pcie::Purpose::payload,
                .notify_requester = true,
                .address = at.value(),
                .bytes = size,
                .ready = now});
    if (self.in_flight++ == 0) self.busy_since = now;
    ++copy.in_flight;
    copy.issued += size;
    self.left -= size;
    if (copy.issued < copy.request.bytes) continue;
    self.queue.pop_front();
    if (!reads) write_completion(copy, engine, now, out);
  }
}

void Gpu::write_completion(const Copy& copy, std::size_t engine, Instant now, device::Outbox& out) {
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

void Gpu::count(std::uint64_t ticket) {
  const auto node = copies_.extract(ticket);
  const auto& copy = node.mapped();
  ++counters_.copies;
  counters_.failed += copy.failed ? 1 : 0;
  counters_.bytes += copy.request.bytes;
}

}  // namespace peerpath::gpu
