#include "devices/host_cpu/host_cpu.hpp"

#include <algorithm>

namespace peerpath::host_cpu {
namespace {

/// Timers: one a core, then one a transmit queue for the rate at which it sends.
constexpr std::uint16_t first_send_timer = 1024;

}  // namespace

HostCpu::HostCpu(const device::HostCpuConfig& config, CopyRequests& copies, const std::vector<NicSetup>& nics)
    : host_{config, copies}, cores_(static_cast<std::size_t>(config.cores)) {
  std::size_t receivers = 0;
  for (const auto& nic : nics) receivers += nic.rx.size();
  for (const auto& nic : nics) {
    Source source{nic.node, std::vector<int>(static_cast<std::size_t>(nic.memory->queues()) * 2, -1)};
    for (const auto& setup : nic.rx) {
      source.by_vector[nic::rx_vector(setup.queue)] = static_cast<int>(rx_.size());
      rx_.emplace_back(host_, nic, setup);
    }
    for (const auto& setup : nic.tx) {
      source.by_vector[nic::tx_vector(setup.queue)] = static_cast<int>(receivers + tx_.size());
      tx_.emplace_back(host_, nic, setup);
    }
    sources_.push_back(std::move(source));
  }
}

void HostCpu::set_sent_sink(SentSink* sink) {
  for (auto& driver : tx_) driver.set_sink(sink);
}

Duration HostCpu::busy_until(Instant now) const {
  Duration sum{};
  for (const auto& core : cores_) sum += core.busy_until(now);
  return sum;
}

Bytes HostCpu::held(fabric::NodeId nic, nic::QueueIndex queue) const {
  const auto found = std::ranges::find_if(tx_, [&](const TxDriver& driver) { return driver.serves(nic, queue); });
  return found == tx_.end() ? Bytes{0} : found->held();
}

std::optional<std::size_t> HostCpu::core_of_vector(fabric::NodeId nic, std::uint32_t vector) const {
  const auto source = std::ranges::find(sources_, nic, &Source::node);
  if (source == sources_.end() || vector >= source->by_vector.size() || source->by_vector[vector] < 0)
    return std::nullopt;
  return static_cast<std::size_t>(source->by_vector[vector]) % cores_.size();
}

void HostCpu::start(device::Outbox& out) {
  for (auto& driver : rx_) driver.start(out);
  for (std::size_t i = 0; i < tx_.size(); ++i) send(i, Instant{}, out);
}

void HostCpu::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  if (delivery.kind != fabric::DeliveryKind::arrived) return;
  if (delivery.purpose == pcie::Purpose::interrupt) interrupt(delivery, out);
  if (delivery.purpose == pcie::Purpose::completion_entry) copy_done(delivery, out);
}

void HostCpu::interrupt(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto source = std::ranges::find(sources_, delivery.requester, &Source::node);
  const auto vector = static_cast<std::uint32_t>(delivery.cookie);
  if (source == sources_.end() || vector >= source->by_vector.size() || source->by_vector[vector] < 0) return;
  const auto driver = static_cast<std::size_t>(source->by_vector[vector]);
  const bool receive = driver < rx_.size();
  ++host_.counters.interrupts;
  const auto& config = host_.config;
  core_of(driver).run(delivery.done, receive ? config.interrupt_cost + config.wakeup_cost : config.interrupt_cost);
  const bool idle =
      receive ? rx_[driver].interrupted(delivery.done) : tx_[driver - rx_.size()].interrupted(delivery.done);
  if (idle) want_core(driver, delivery.done, out);
}

void HostCpu::copy_done(const fabric::Delivery& delivery, device::Outbox& out) {
  for (std::size_t i = 0; i < rx_.size(); ++i) {
    if (!rx_[i].copied(delivery.cookie, delivery.done, core_of(i))) continue;
    if (rx_[i].resume()) want_core(i, delivery.done, out);
    return;
  }
  for (std::size_t i = 0; i < tx_.size(); ++i) {
    const auto driver = rx_.size() + i;
    if (!tx_[i].copied(delivery.cookie, delivery.done, core_of(driver))) continue;
    if (tx_[i].has_whole_packets()) want_core(driver, delivery.done, out);
    return;
  }
}

void HostCpu::want_core(std::size_t driver, Instant now, device::Outbox& out) {
  auto& core = core_of(driver);
  core.waiting.push_back(driver);
  out.wake_at(core_timer(driver), std::max(now, core.free()));
}

void HostCpu::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  if (timer.value() >= first_send_timer) return send(timer.value() - first_send_timer, now, out);
  auto& core = cores_[timer.value()];
  if (core.waiting.empty()) return;
  if (core.free() <= now) {
    const auto driver = core.waiting.front();
    core.waiting.pop_front();
    if (poll(driver, now, out)) core.waiting.push_back(driver);
  }
  if (!core.waiting.empty()) out.wake_at(timer, std::max(now, core.free()));
}

bool HostCpu::poll(std::size_t driver, Instant now, device::Outbox& out) {
  auto& core = core_of(driver);
  if (driver < rx_.size()) return rx_[driver].poll(now, core, out);
  const std::size_t i = driver - rx_.size();
  const bool again = tx_[i].poll(now, core, out);
  if (tx_[i].resume()) send(i, std::max(now, core.free()), out);
  return again;
}

void HostCpu::send(std::size_t tx, Instant now, device::Outbox& out) {
  const Instant next = tx_[tx].send(now, core_of(rx_.size() + tx), out);
  out.wake_at(device::TimerId{static_cast<std::uint16_t>(first_send_timer + tx)}, next);
}

}  // namespace peerpath::host_cpu
