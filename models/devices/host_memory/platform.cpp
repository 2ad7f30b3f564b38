#include "devices/host_memory/platform.hpp"

#include "core/host/refused_writes.hpp"
#include "devices/host_cpu/driver_context.hpp"
#include "devices/host_memory/host_memory.hpp"
#include "devices/host_memory/kind.hpp"
#include "peerpath/base/fail.hpp"
#include "platform/platform.hpp"
#include "platform/report.hpp"
#include "scenario/tree.hpp"

namespace peerpath::platform {
namespace {

constexpr BusAddress buffers_base{0x1'0000'0000};  ///< drivers take DRAM above 4 GiB

Window window(BusAddress base, Bytes size) { return {base.value(), static_cast<std::uint64_t>(size.count())}; }

/// MPS and MRRS of the host called so: what every function of it can take.
device::FunctionConfig host_function(const scenario::Scenario& scenario, const std::string& name) {
  device::FunctionConfig host;
  host.max_payload = Bytes{4096};
  bool any = false;
  for (const auto& device : scenario.devices) {
    const auto* function = scenario::host_of(device.name) == name ? scenario::function_of(device) : nullptr;
    if (function == nullptr) continue;
    host.max_payload = std::min(host.max_payload, function->max_payload);
    any = true;
  }
  if (!any) host.max_payload = device::FunctionConfig{}.max_payload;
  return host;
}

/// Memories of a host lie one behind the other, in the order of the scenario, each with the hole that the first has
/// below 4 GiB.
Bytes first_address(const scenario::Scenario& scenario, const std::string& name) {
  Bytes before{};
  for (const auto& device : scenario.devices) {
    if (device.name == name) break;
    const auto* memory = std::get_if<device::HostMemoryConfig>(&device.config);
    if (memory == nullptr || scenario::host_of(device.name) != scenario::host_of(name)) continue;
    constexpr std::int64_t step = std::int64_t{1} << 32;
    before += Bytes{(memory->size.count() + 2 * step - 1) / step * step};
  }
  return before;
}

void fill_cache(Report& report, const std::string& name, const host::CacheCounters& before,
                const host::CacheCounters& after) {
  const auto add = [&](const char* what, std::int64_t host::CacheCounters::*count, const char* doc) {
    report.add(name + what, "1", after.*count - before.*count, doc);
  };
  add(".cache_read_hits", &host::CacheCounters::read_hits, "Cache lines read by devices that hit the last-level cache");
  add(".cache_read_misses", &host::CacheCounters::read_misses, "Cache lines read by devices from DRAM");
  add(".cache_write_hits", &host::CacheCounters::write_hits,
      "Cache lines written by devices that hit the last-level cache");
  add(".cache_write_misses", &host::CacheCounters::write_misses,
      "Cache lines written by devices that missed the last-level cache");
}

}  // namespace

HostMemory::HostMemory(const std::string& name, Domain& domain, const device::HostMemoryConfig& config,
                       const device::FunctionConfig& function, Bytes before)
    : Device{domain.add_endpoint(
          name, host_memory::fabric_endpoint(config, {.max_payload = function.max_payload,
                                                      .max_read_request = function.max_read_request,
                                                      .tags = function.tags,
                                                      .channels = host_cpu::host_channels,
                                                      .completion_timeout = function.completion_timeout}))},
      config_{config},
      next_{buffers_base + before},
      port{node()} {
  domain.add_port(port);
  std::uint64_t below = 0;  // bytes of DRAM below the region
  for (const auto& region : host_memory::regions(name, config)) {
    const auto bytes = window(region.base + before, region.size);
    domain.claim({bytes, node(), true, bytes.base - below});
    below += bytes.size;
  }
  domain.claim({window(host_memory::interrupt_base, host_memory::interrupt_size), node()});
  if (!host_memory::MemoryGate::wanted(config)) return;
  gate_ = std::make_unique<host_memory::MemoryGate>(config);
  port.gate = gate_.get();
}

HostMemory::~HostMemory() = default;

BusAddress HostMemory::reserve(Bytes size) {
  const auto at = next_;
  if (gate_) gate_->add_buffer(at.value(), size);
  next_ = next_ + Bytes{(size.count() + 4095) / 4096 * 4096};
  return at;
}

void HostMemory::count_refused_writes() {
  refused_ = std::make_unique<host::RefusedWrites>(port.gate);
  port.gate = refused_.get();
}

std::any HostMemory::count(Instant now) {
  Counted counted;
  counted.refused = refused_by(refused_.get());
  if (gate_ == nullptr) return counted;
  if (gate_->cache() != nullptr) counted.cache = gate_->cache()->counters();
  counted.channels = gate_->channels_busy(now);
  return counted;
}

void HostMemory::report(Report& report, const std::string& name, const std::any& before, const std::any& after) const {
  const auto &a = std::any_cast<const Counted&>(before), &b = std::any_cast<const Counted&>(after);
  const auto load = memory_load(report, node(), b.refused - a.refused);
  const auto cores = report.by_cores.find(node());
  const auto by_cores = cores == report.by_cores.end() ? host_memory::Load{} : cores->second;
  report.results.memories.push_back({name, load.all.read + by_cores.read, load.all.written + by_cores.written,
                                     config_.read_rate, config_.write_rate});
  if (config_.channels)
    report.results.resources.push_back(
        {name + " channels", b.channels - a.channels, report.window * config_.channels->count});
  if (config_.cache) fill_cache(report, name, a.cache, b.cache);
}

}  // namespace peerpath::platform

namespace peerpath {

std::unique_ptr<platform::Device> device::Kind<device::HostMemoryConfig>::make(const std::string& name,
                                                                               const HostMemoryConfig& config,
                                                                               const scenario::Scenario& scenario,
                                                                               platform::Platform& platform) {
  auto memory = std::make_unique<platform::HostMemory>(name, platform.domain, config,
                                                       platform::host_function(scenario, scenario::host_of(name)),
                                                       platform::first_address(scenario, name));
  auto* root = platform.find<platform::RootComplex>(config.at);
  require(root != nullptr && root->memory.peer == nullptr, "a root complex has one host memory");
  platform.join(root->memory, memory->port, {.internal = true}, "internal", name);
  return memory;
}

}  // namespace peerpath
