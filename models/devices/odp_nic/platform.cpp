#include "devices/odp_nic/platform.hpp"

#include <algorithm>

#include "core/pcie/p2pdma.hpp"
#include "devices/gpu/platform.hpp"
#include "devices/host_memory/platform.hpp"
#include "devices/odp_nic/kind.hpp"
#include "peerpath/base/fail.hpp"
#include "platform/platform.hpp"
#include "platform/report.hpp"
#include "scenario/hierarchy.hpp"
#include "scenario/tree.hpp"

namespace peerpath::platform {
namespace {

constexpr std::uint64_t messages_base = 0xfee0'0000;  ///< Intel SDM volume 3, "Message Address Register Format"
constexpr std::uint64_t messages_stride = 0x1000;     ///< of destinations: each NIC has one, to tell them apart
constexpr Bytes queue_size{4096};

bool p2p_possible(const scenario::Hierarchy& h, const std::string& gpu, const std::string& nic) {
  const auto at = [&h](const std::string& name) {
    const auto found = std::ranges::find(h.functions, name, &pcie::Function::name);
    require(found != h.functions.end(), "a device below a link has no function");
    return static_cast<int>(found - h.functions.begin());
  };
  const int provider = at(gpu), client = at(nic);
  const bool same =
      h.host_bridges[static_cast<std::size_t>(provider)] == h.host_bridges[static_cast<std::size_t>(client)];
  return pcie::p2pdma(h.functions, h.acs, provider, client, h.host_bridge, h.host_bridge, same).mapping !=
         pcie::P2pMapping::not_supported;
}

/// What p2pdma says at each fault: the hierarchy as it is at the start, and as ACS events leave it.
std::vector<odp::Reach> reach_of(const scenario::Scenario& s, const std::string& gpu, const std::string& nic) {
  auto hierarchy = scenario::hierarchy_of(s, scenario::Tree{s}.root_of(nic));
  std::vector<odp::Reach> reach{{Instant{}, p2p_possible(hierarchy, gpu, nic)}};
  auto events = s.events;
  std::ranges::stable_sort(events, {}, &scenario::Event::at);
  for (const auto& event : events) {
    if (!event.is<scenario::event::Acs>() || event.at == Duration{0}) continue;
    scenario::happen(hierarchy, s, event);
    reach.push_back({Instant{} + event.at, p2p_possible(hierarchy, gpu, nic)});
  }
  return reach;
}

}  // namespace

OdpNic::OdpNic(const std::string& name, Platform& platform, HostMemory& host, const device::OdpNicConfig& config,
               const scenario::Scenario& scenario)
    : Device{platform.domain.add_endpoint(name, odp::fabric_endpoint(config))},
      name_{name},
      platform_{platform},
      host_{host},
      config_{config},
      scenario_{scenario},
      registers_{platform.domain.place(node(), odp::register_bar_size, false)},
      pcie{node()} {
  platform.domain.add_port(pcie);
  platform.domain.before_build([this] { complete(); });
}

std::optional<std::size_t> OdpNic::start(const Transfer& transfer) {
  const auto pages = static_cast<std::size_t>(transfer.window.count() / config_.page.count());
  auto& region = *regions_.emplace_back(std::make_unique<odp::Region>(config_.page, pages));
  region.gpu = transfer.target;
  region.host = host_.node();
  region.window = transfer.address;
  region.frames = host_.reserve(transfer.window).value();
  region.commands = platform_.domain.place(transfer.target, odp::command_write, false).value();
  streams_.push_back({transfer.op, transfer.window, transfer.sizes, transfer.rate, transfer.done});
  const auto gpus = platform_.all<Gpu>();
  const auto gpu = std::ranges::find_if(gpus, [&](const auto& one) { return one.second->node() == transfer.target; });
  require(gpu != gpus.end(), "the pages of an odp_nic are a GPU's");
  gpus_.push_back(gpu->first);
  return regions_.size() - 1;
}

/// The driver's place is in host memory, that of each copy engine at its GPU.
void OdpNic::complete() {
  auto& domain = platform_.domain;
  const auto seed = static_cast<std::uint64_t>(scenario_.run.seed);
  const auto events = host_.reserve(queue_size).value();
  const auto interrupts = messages_base + messages_stride * node().value();
  std::vector<odp::Region*> regions;
  std::vector<std::vector<odp::Reach>> reach;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    auto& region = *regions_[i];
    region.events = events;
    region.interrupts = interrupts;
    regions.push_back(&region);
    reach.push_back(reach_of(scenario_, gpus_[i], name_));
  }
  nic_.emplace(config_, node(), regions, streams_);
  domain.attach(*nic_, {.node = node(), .channels = odp::nic_channels, .hears_arrivals = true});
  if (regions.empty()) return;
  driver_.emplace(config_, node(), registers_.value(), regions, reach, Random{seed, "driver of " + name_});
  ++domain.endpoint(host_.node()).channels;
  domain.attach(*driver_,
                {.node = host_.node(),
                 .channels = 1,
                 .windows = {{events, static_cast<std::uint64_t>(queue_size.count())}, {interrupts, messages_stride}}});
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const auto& gpu = *platform_.find<Gpu>(gpus_[i]);
    auto& migrator = *migrators_.emplace_back(
        std::make_unique<odp::Migrator>(config_, static_cast<std::uint8_t>(i), *regions_[i], gpu.config().copy_setup,
                                        Random{seed, "kernel of " + name_ + " " + std::to_string(i)}));
    ++domain.endpoint(gpu.node()).channels;
    domain.attach(migrator, {.node = gpu.node(),
                             .channels = 1,
                             .windows = {{regions_[i]->commands, messages_stride}},
                             .hears_arrivals = true});
  }
}

std::any OdpNic::count(Instant now) {
  Counted counted;
  counted.nic = nic_->counters();
  counted.waited = nic_->waited_until(now);
  if (driver_) counted.driver = driver_->counters_until(now);
  for (const auto& migrator : migrators_) {
    const auto& some = migrator->counters();
    counted.copies.to_host += some.to_host;
    counted.copies.to_vram += some.to_vram;
    counted.copies.touches += some.touches;
    counted.copies.faults += some.faults;
  }
  counted.verdict = nic_->verdict();
  return counted;
}

void OdpNic::report(Report& report, const std::string& name, const std::any& before, const std::any& after) const {
  const auto &a = std::any_cast<const Counted&>(before), &b = std::any_cast<const Counted&>(after);
  const auto add = [&](const char* what, const char* unit, std::int64_t value, const char* doc) {
    report.add(name + what, unit, value, doc);
  };
  const auto &p = a.driver.pages, &q = b.driver.pages;
  report.results.resources.push_back({name + " page faults", b.driver.busy - a.driver.busy, report.window});
  if (const auto pairs = static_cast<std::int64_t>(nic_->queue_pairs()); pairs > 0)
    report.results.resources.push_back({name + " RNR timer", b.waited - a.waited, report.window * pairs});
  add(".host_bytes", "B", (b.nic.to_host - a.nic.to_host).count(), "Payload of pages in host memory");
  add(".peer_bytes", "B", (b.nic.to_peer - a.nic.to_peer).count(), "Payload of pages in the GPU, through aliases");
  add(".messages", "1", b.nic.messages - a.nic.messages, "Messages that completed or failed");
  add(".failed_messages", "1", b.nic.failed - a.nic.failed,
      "Messages that failed because of a refused fault or a failed access");
  add(".page_faults", "1", b.nic.faults - a.nic.faults, "Page faults, counted once per page until it is translated");
  add(".rnr_naks", "1", b.nic.rnr_naks - a.nic.rnr_naks, "Packets answered with RNR NAK and retransmitted by the peer");
  add(".migrations_to_host", "1", q.to_host - p.to_host, "Pages migrated from the GPU to host memory");
  add(".migrations_to_gpu", "1", q.to_vram - p.to_vram, "Pages migrated back to the GPU because a kernel touched them");
  add(".migrated_bytes", "B", (b.copies.to_host + b.copies.to_vram - a.copies.to_host - a.copies.to_vram).count(),
      "Bytes moved by migrations in both directions");
  add(".aliases", "1", q.aliases - p.aliases, "Pages mapped into the window");
  add(".displaced_aliases", "1", q.displaced - p.displaced, "Aliases removed to make room for others");
  add(".invalidations", "1", q.invalidations - p.invalidations, "Translations invalidated by the driver");
  add(".invalidations_in_flight", "1", b.nic.invalidations_in_flight - a.nic.invalidations_in_flight,
      "Invalidations that waited for DMA in flight");
  add(".fallbacks_full", "1", q.full - p.full, "Faults that migrated the page because the aperture was full");
  add(".fallbacks_unreachable", "1", q.unreachable - p.unreachable,
      "Faults that migrated the page because p2pdma returned NOT_SUPPORTED");
  add(".refused_faults", "1", q.refused - p.refused, "Faults that could not be served");
  add(".gpu_faults", "1", b.copies.faults - a.copies.faults,
      "Kernel stores that faulted because the page was in host memory");
  // Of all since the start: a byte lost before the window is lost in it.
  add(".lost_bytes", "B", b.verdict.lost.count(), "Content check: bytes missing from pages");
  add(".repeated_bytes", "B", b.verdict.repeated.count(), "Content check: bytes written to pages more than once");
  add(".wrong_pages", "1", b.verdict.wrong_pages, "Content check: pages with unexpected content");
  add(".stale_reads", "1", b.nic.stale_reads, "Content check: packets read from a stale copy of a page");
  if (const auto first = nic_->first_byte())
    report.results.metrics.push_back({name + ".first_byte_ns", "ns",
                                      observe::Decimal{(*first - Instant{}) / std::chrono::nanoseconds{1}, 0},
                                      "Time from the start to the first payload in memory"});
  if (const auto served = b.nic.served - a.nic.served; served > 0)
    report.results.metrics.push_back(
        {name + ".fault_ns", "ns",
         observe::Decimal{(b.nic.fault_time - a.nic.fault_time) / served / std::chrono::nanoseconds{1}, 0},
         "Mean time from a fault to its translation"});
  const auto fault = [&](const char* what, std::int64_t count) {
    if (count > 0) report.results.faults.push_back({name, what, count, Instant{}});
  };
  fault("page faults were refused because p2pdma returned NOT_SUPPORTED; their queue pairs failed",
        q.refused - p.refused);
  fault("pages migrated to host memory because p2pdma returned NOT_SUPPORTED", q.unreachable - p.unreachable);
  fault("pages migrated to host memory because the aperture was full", q.full - p.full);
  fault("pages do not hold the bytes that were written to them", b.verdict.wrong_pages);
}

}  // namespace peerpath::platform

namespace peerpath {

std::unique_ptr<platform::Device> device::Kind<device::OdpNicConfig>::make(const std::string& name,
                                                                           const OdpNicConfig& config,
                                                                           const scenario::Scenario& scenario,
                                                                           platform::Platform& platform) {
  auto* host = platform.find<platform::HostMemory>(config.pages_in);
  require(host != nullptr, "pages of an odp_nic migrate to host memory");
  return std::make_unique<platform::OdpNic>(name, platform, *host, config, scenario);
}

}  // namespace peerpath
