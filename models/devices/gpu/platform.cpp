#include "devices/gpu/platform.hpp"

#include <cmath>

#include "core/host/refused_writes.hpp"
#include "devices/gpu/kind.hpp"
#include "devices/host_memory/platform.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/scenario/describe.hpp"
#include "platform/platform.hpp"
#include "platform/report.hpp"
#include "transport/traffic/dma_source.hpp"

namespace peerpath::platform {

Gpu::Gpu(const std::string& name, Domain& domain, const device::GpuConfig& config)
    : Device{domain.add_endpoint(name, gpu::fabric_endpoint(config))},
      config_{config},
      window_{domain.place(node(), config.bar_size, true, config.bar_address)},
      doorbell_{domain.place(node(), gpu::register_bar_size, false)},
      bar1_{config},
      behaviour_{config},
      pcie{node()} {
  domain.add_port(pcie);
  domain.attach(behaviour_, {.node = node(), .channels = config.copy_engines, .hears_arrivals = true});
  if (!config.peer_reads) return;
  peer_reads_ = std::make_unique<gpu::PeerReads>(config);
  pcie.gate = peer_reads_.get();
}

Gpu::~Gpu() = default;

void Gpu::serve(HostMemory& host) { behaviour_.serve(host.node(), host.copies()); }

BusAddress Gpu::map(Bytes size) {
  const auto at = bar1_.map(size);
  require(at.has_value(), "mapped memory exceeds the GPU's window");
  return window_ + *at;
}

void Gpu::shape(transport::DmaPattern& pattern, bool atomic) const {
  if (!config_.kernels) return;
  const auto& kernels = *config_.kernels;
  Bytes round{};
  for (const auto size : pattern.sizes) round += size;
  // The pace of all warps together is that of one, as many times.
  const auto pace = [&](Duration interval, int warps) {
    if (interval == Duration{0}) return;
    const auto each = static_cast<WideInt>(round.count()) * 8 * warps / static_cast<int>(pattern.sizes.size());
    const auto most = each * 1'000'000'000'000'000 / interval.count();
    if (pattern.rate == BitRate{} || most < pattern.rate.bps()) pattern.rate = BitRate{static_cast<std::int64_t>(most)};
  };
  if (pattern.op == pcie::Operation::memory_write) {
    constexpr int most_stores = 1024;  // posted, on their way: more than it takes for the rate of any link
    pace(kernels.store_interval, pattern.outstanding);
    pattern.outstanding = most_stores;
    return;
  }
  pattern.outstanding = std::min(pattern.outstanding, kernels.reads);
  pattern.reaction = atomic ? kernels.atomic_latency : kernels.read_latency;
  pattern.queueing = atomic ? kernels.atomic_queueing : kernels.read_queueing;
  if (atomic) return pace(kernels.atomic_interval, 1);
  const auto met = std::sqrt(pattern.outstanding) - 1;
  pattern.reaction += Duration{std::llround(met * static_cast<double>(kernels.read_bunching.count()))};
}

void Gpu::queue(transport::DmaPattern& pattern, int asked) const {
  const auto& kernels = *config_.kernels;
  if (pattern.op == pcie::Operation::memory_write) {
    pattern.outstanding = asked * kernels.stores;
    return;
  }
  // Those beyond `reads` wait in the queue.
  pattern.reaction += pattern.queueing * std::min(asked, kernels.reads);
  pattern.queueing = Duration{0};
  pattern.outstanding = asked;
}

void Gpu::count_refused_writes() {
  refused_ = std::make_unique<host::RefusedWrites>(pcie.gate);
  pcie.gate = refused_.get();
}

std::any Gpu::count(Instant now) {
  Counted counted;
  counted.copies = behaviour_.counters();
  counted.copying = behaviour_.busy_until(now);
  counted.window = bar1_.counters();
  counted.window.busy = bar1_.busy_until(now);
  if (peer_reads_) counted.peer_reads = peer_reads_->held_until(now);
  counted.refused = refused_by(refused_.get());
  return counted;
}

void Gpu::report(Report& report, const std::string& name, const std::any& before, const std::any& after) const {
  const auto &a = std::any_cast<const Counted&>(before), &b = std::any_cast<const Counted&>(after);
  const auto load = memory_load(report, node(), b.refused - a.refused);
  report.results.memories.push_back(
      {name, load.all.read, load.all.written, config_.read_rate, config_.write_rate, load.own.read, load.own.written});
  report.results.resources.push_back(
      {name + " copy engines", b.copying - a.copying, report.window * config_.copy_engines});
  if (config_.peer_reads)
    report.results.resources.push_back(
        {name + " concurrent peer reads", b.peer_reads - a.peer_reads, report.window * *config_.peer_reads});
  report.add(name + ".copies", "1", b.copies.copies - a.copies.copies, "Copies completed by the copy engines");
}

void Gpu::report_window(Report& report, const scenario::Bar1Plan& plan, const std::any& before,
                        const std::any& after) const {
  const auto &a = std::any_cast<const Counted&>(before).window, &b = std::any_cast<const Counted&>(after).window;
  auto& results = report.results;
  observe::Bar1Result window{plan.gpu, plan.size,           bar1_.used(),         plan.reserved,
                             {},       b.remaps - a.remaps, b.waiting - a.waiting};
  for (const auto& mapping : plan.mappings) {
    std::string names;
    for (const auto i : mapping.entries) names += (names.empty() ? "" : ",") + report.scenario.traffic[i].name;
    const bool fits = mapping.verdict == scenario::Bar1Verdict::mapped;
    const auto said = scenario::to_text(plan, mapping);
    window.registrations.push_back(
        {names, mapping.registered, mapping.given, std::string{name_of(mapping.verdict)}, fits, said});
    if (!fits) results.faults.push_back({plan.gpu, "BAR1 is full: " + names + ": " + said, 1, Instant{}});
  }
  if (window.remaps > 0) results.resources.push_back({plan.gpu + " BAR1 remapping", b.busy - a.busy, report.window});
  results.windows.push_back(std::move(window));
}

}  // namespace peerpath::platform

namespace peerpath {

std::unique_ptr<platform::Device> device::Kind<device::GpuConfig>::make(const std::string& name,
                                                                        const GpuConfig& config,
                                                                        const scenario::Scenario&,
                                                                        platform::Platform& platform) {
  return std::make_unique<platform::Gpu>(name, platform.domain, config);
}

}  // namespace peerpath
