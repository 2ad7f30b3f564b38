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
namespace {

/// Whether kernels have something of the GPU's one queue to share, with each other or with copies.
bool has_several_users(const std::string& name, const scenario::Scenario& scenario) {
  std::size_t accesses = 0, copies = 0;
  for (const auto& t : scenario.traffic) {
    const auto ends = [&](auto kind, const auto&) {
      if (kind.by_copies) copies += t.from == name || t.to == name;
      for (const auto& leg : t.legs()) accesses += kind.by_dma && leg.from == name;
    };
    t.with_kind(ends);
  }
  return accesses > 0 && accesses + copies > 1;
}

}  // namespace

Gpu::Gpu(const std::string& name, Domain& domain, const device::GpuConfig& config, bool shared)
    : Device{domain.add_endpoint(name, gpu::fabric_endpoint(config))},
      config_{config},
      one_queue_{shared && config.kernels && config.kernels->one_queue},
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

PiecedMemory Gpu::map_pieces(Bytes buffer, BusAddress at, Bytes size) {
  return {std::make_shared<gpu::Bar1Pieces>(bar1_, config_.bar1.piece, buffer, at - window_, size), window_};
}

void Gpu::queue(Domain& domain, transport::DmaSource& source, const ByChannel& channel) {
  if (!one_queue_) return Device::queue(domain, source, channel);
  queued_.emplace_back(&source, channel);
}

void Gpu::copy(const gpu::CopyWork& work, const ByChannel& channel) {
  if (!copies_) copies_ = std::make_unique<gpu::CopyStreams>(config_);
  copies_->add(work);
  copy_channels_.push_back(channel);
}

void Gpu::attach_copies(Domain& domain) {
  if (!copies_) return;
  if (!queued_.empty()) {
    attach_queue(domain);
  } else {
    const auto channels = static_cast<int>(copies_->size());
    domain.endpoint(node()).channels += channels;
    copies_at_ =
        domain.attach(*copies_, {.node = node(), .channels = channels, .hears_arrivals = true, .only_asks = true});
  }
  const auto first = domain.first_channel(copies_at_).value();
  for (std::size_t n = 0; n < copy_channels_.size(); ++n)
    copy_channels_[n](fabric::ChannelIndex{static_cast<std::uint16_t>(first + n)});
}

void Gpu::attach_queue(Domain& domain) {
  if (queued_.empty() || queue_) return;
  queue_ = std::make_unique<gpu::RequestQueue>(
      config_.function.tags, config_.copies ? config_.copies->request : config_.function.max_read_request,
      config_.copies ? config_.copies->write_rate : BitRate{}, config_.kernels->read_turn);
  if (copies_) copies_->queue();
  if (copies_) queue_->add(*copies_, static_cast<int>(copies_->size()), gpu::RequestQueue::Asks::engine);
  std::vector<int> before;
  for (const auto& [source, channel] : queued_)
    before.push_back(queue_->add(*source, 1, gpu::RequestQueue::Asks::kernel, source->reaction()));
  domain.endpoint(node()).channels += queue_->channels();
  copies_at_ = domain.attach(
      *queue_, {.node = node(), .channels = queue_->channels(), .hears_arrivals = true, .only_asks = true});
  const auto first = domain.first_channel(copies_at_).value();
  for (std::size_t n = 0; n < queued_.size(); ++n)
    queued_[n].second(fabric::ChannelIndex{static_cast<std::uint16_t>(first + before[n])});
}

void Gpu::shape(transport::DmaPattern& pattern, bool atomic) const {
  const int asked = pattern.outstanding;
  if (config_.kernels) shape_kernels(pattern, atomic);
  if (one_queue_) shape_queued(pattern, asked);
}

void Gpu::shape_kernels(transport::DmaPattern& pattern, bool atomic) const {
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

/// What kernels have outstanding where they leave by one queue: `asked` reads or storing warps.
void Gpu::shape_queued(transport::DmaPattern& pattern, int asked) const {
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
                                                                        const scenario::Scenario& scenario,
                                                                        platform::Platform& platform) {
  return std::make_unique<platform::Gpu>(name, platform.domain, config, platform::has_several_users(name, scenario));
}

}  // namespace peerpath
