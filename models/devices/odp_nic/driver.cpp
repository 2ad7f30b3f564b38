#include "devices/odp_nic/driver.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::odp {
namespace {

using private_pages::Action;
using private_pages::Step;

constexpr device::TimerId software{0}, eviction{1};

bool is_copy(Step step) { return step == Step::copy_to_host || step == Step::copy_to_vram; }

Work work_of(Step step) {
  switch (step) {
    case Step::install:
      return Work::install;
    case Step::refuse:
      return Work::refuse;
    case Step::invalidate:
      return Work::invalidate;
    case Step::copy_to_host:
      return Work::copy_to_host;
    default:
      return Work::copy_to_vram;
  }
}

}  // namespace

Driver::Driver(const device::OdpNicConfig& config, fabric::NodeId nic, std::uint64_t nic_registers,
               std::vector<Region*> regions, std::vector<std::vector<Reach>> reach, Random random)
    : config_{config},
      nic_{nic},
      nic_registers_{nic_registers},
      regions_{std::move(regions)},
      reach_{std::move(reach)},
      random_{random} {
  require(regions_.size() == reach_.size(), "each registered buffer must be marked reachable or not");
  for (const auto* region : regions_) {
    const auto pages = region->contents.pages();
    const auto slots = static_cast<std::size_t>(config.aperture.count() / config.page.count());
    tables_.emplace_back(config.policy, pages, std::min(slots, pages));
  }
}

void Driver::start(device::Outbox& out) {
  if (config_.evict_interval > Duration{0}) out.wake_at(eviction, Instant{} + config_.evict_interval);
}

void Driver::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  if (delivery.status != pcie::Status::success) return;
  const auto cookie = Cookie::unpack(delivery.cookie);
  const auto now = delivery.done;
  switch (cookie.work) {
    case Work::fault:
      return accept({Job::What::fault, cookie.region, cookie.value}, now, out);
    case Work::touched:
      return accept({Job::What::touch, cookie.region, cookie.value}, now, out);
    case Work::drained:
    case Work::copied:
      return act(tables_[cookie.region].next(!cookie.flag), now, out);
    default:
      return;
  }
}

void Driver::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  if (timer == eviction) {
    const auto region = static_cast<std::uint8_t>(random_.next() % regions_.size());
    const auto page = static_cast<Page>(random_.next() % regions_[region]->contents.pages());
    out.wake_at(eviction, now + config_.evict_interval);
    return accept({Job::What::evict, region, page}, now, out);
  }
  if (!action_) return begin(now, out);
  const auto action = *action_;
  if (is_copy(action.step)) return say(action, now, out);
  act(tables_[jobs_.front().region].next(), now, out);
}

void Driver::accept(const Job& job, Instant now, device::Outbox& out) {
  jobs_.push_back(job);
  if (jobs_.size() > 1) return;
  busy_since_ = now;
  wait(job.what == Job::What::evict ? Duration{0} : config_.fault_latency, now, out);
}

/// Its software has decided what to do with the first job.
void Driver::begin(Instant now, device::Outbox& out) {
  const auto& job = jobs_.front();
  auto& table = tables_[job.region];
  switch (job.what) {
    case Job::What::fault:
      return act(table.fault(job.page, reachable(job.region, now)), now, out);
    case Job::What::touch:
      return act(table.touch(job.page), now, out);
    case Job::What::evict:
      return act(table.evict(job.page), now, out);
  }
}

/// Goes on until something takes time.
void Driver::act(Action action, Instant now, device::Outbox& out) {
  auto& table = tables_[jobs_.front().region];
  for (; action.step != Step::nothing; action = table.next()) {
    action_ = action;
    if (is_copy(action.step)) return wait(config_.migrate_latency, now, out);
    if (action.step == Step::map) return wait(config_.map_latency, now, out);
    if (action.step == Step::unmap) return wait(config_.unmap_latency, now, out);
    say(action, now, out);
    if (action.step == Step::invalidate) return;
  }
  action_.reset();
  jobs_.pop_front();
  busy_ += now - busy_since_;
  busy_since_ = now;
  if (jobs_.empty()) return;
  wait(jobs_.front().what == Job::What::evict ? Duration{0} : config_.fault_latency, now, out);
}

void Driver::wait(Duration time, Instant now, device::Outbox& out) { out.wake_at(software, now + time); }

/// A command to the NIC or to the copy engine.
void Driver::say(const Action& action, Instant now, device::Outbox& out) {
  const auto number = jobs_.front().region;
  const auto& region = *regions_[number];
  const bool copy = is_copy(action.step);
  out.submit(fabric::ChannelIndex{1},
             {.cookie = Cookie{number, work_of(action.step), action.translation.place == Place::vram,
                               action.translation.slot, action.page}
                            .pack(),
              .target = copy ? region.gpu : nic_,
              .op = pcie::Operation::memory_write,
              .purpose = pcie::Purpose::doorbell,
              .notify_target = true,
              .address = copy ? region.commands : nic_registers_,
              .bytes = command_write,
              .ready = now});
}

bool Driver::reachable(std::size_t region, Instant now) const {
  bool possible = true;
  for (const auto& reach : reach_[region])
    if (reach.from <= now) possible = reach.possible;
  return possible;
}

DriverCounters Driver::counters_until(Instant now) const {
  DriverCounters all;
  for (const auto& table : tables_) all.pages += table.counters();
  all.busy = busy_ + (jobs_.empty() ? Duration{0} : now - busy_since_);
  return all;
}

}  // namespace peerpath::odp
