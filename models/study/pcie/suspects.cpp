#include "study/pcie/suspects.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "observe/credit_pools.hpp"
#include "study/conclusion.hpp"

namespace peerpath::study {
namespace {

using Change = Suspect::Change;

/// Collects the resources of each kind of device.
class Resources {
 public:
  void of(const std::string& name, const device::NicConfig&) {
    const auto at = device(name);
    add(name + " receive FIFO", {{at + "rx_fifo"}});
    add(name + " transmit FIFO", {{at + "tx_fifo"}});
    add(name + " descriptor prefetch", {{at + "prefetch"}});
    add(name + " interrupt moderation", {{at + "interrupt_moderation", true}});
    add(name + " receive ring", {{at + "ring_entries"}});
    add(name + " completion batches", {{at + "writeback_timeout", true}});
    add(name + " Ethernet transmit", {{at + "wire_rate"}});
    add(name + " tags", {{at + "function/tags"}});
    add(name + " translations", {{at + "ats/entries"}});
  }
  void of(const std::string& name, const device::GpuConfig&) {
    const auto at = device(name);
    add(name, {{at + "write_rate"}, {at + "read_rate"}});
    add(name + " read latency", {{at + "read_latency", true}});
    add(name + " copy engines", {{at + "copy_engines"}});
    add(name + " concurrent peer reads", {{at + "peer_reads"}});
    add(name + " tags", {{at + "function/tags"}});
  }
  void of(const std::string& name, const device::DmaCardConfig&) {
    const auto at = device(name);
    add(name + " transfers in flight", {{at + "outstanding"}});
    add(name + " tags", {{at + "function/tags"}});
    add(name + " DMA engine",
        {{at + "read_issue", true}, {at + "write_issue", true}, {at + "command", true}, {at + "write_chunk", true}});
  }
  void of(const std::string& name, const device::NvmeConfig&) {
    const auto at = device(name);
    add(name + " medium", {{at + "read_rate"}, {at + "write_rate"}});
    add(name + " queue depth", {{at + "queue_depth"}});
    add(name + " buffer", {{at + "buffer"}});
    add(name + " tags", {{at + "function/tags"}});
  }
  void of(const std::string& name, const device::OdpNicConfig&) {
    const auto at = device(name);
    add(name + " page faults", {{at + "fault_latency", true},
                                {at + "map_latency", true},
                                {at + "unmap_latency", true},
                                {at + "migrate_latency", true}});
    add(name + " RNR timer", {{at + "rnr_timer", true}});
    add(name + " aperture", {{at + "aperture"}});
    add(name + " buffer", {{at + "buffer"}});
    add(name + " wire", {{at + "wire_rate"}});
    add(name + " tags", {{at + "function/tags"}});
  }
  void of(const std::string& name, const device::HostMemoryConfig&) {
    const auto at = device(name);
    add(name, {{at + "write_rate"}, {at + "read_rate"}});
    add(name + " channels", {{at + "channels/rate"}});
    add(name + " read latency", {{at + "read_latency", true}});
    add(name + " cache", {{at + "cache/size"}});
  }
  void of(const std::string& name, const device::HostCpuConfig&) {
    const auto at = device(name);
    add(name + ", its busiest core", {{at + "packet_cost", true},
                                      {at + "interrupt_cost", true},
                                      {at + "wakeup_cost", true},
                                      {at + "byte_cost_per_kib", true},
                                      {at + "doorbell_cost", true},
                                      {at + "copy_rate"}});
    add(name + " cores", {{at + "cores"}});
  }
  void of(const std::string& name, const device::GpunetProxyConfig&) {
    const auto at = device(name);
    add(name, {{at + "unix/send", true},
               {at + "unix/receive", true},
               {at + "tcp/send", true},
               {at + "tcp/receive", true},
               {at + "rdma/post", true},
               {at + "look", true},
               {at + "threads"}});
  }
  void of(const std::string& name, const device::RootComplexConfig&) {
    const auto at = device(name);
    add(name + " IOMMU page walkers", {{at + "iommu/walkers"}});
    add(name + " IOTLB", {{at + "iommu/entries"}});
    add(name + " memory credits for writes", {{at + "credits/write_credits"}});
    add(name + " memory credits for reads", {{at + "credits/read_credits"}});
    add(name + " peer writes", {{at + "peer_to_peer/write_rate"}});
    add(name + " peer reads", {{at + "peer_to_peer/read_rate"}});
  }
  void of(const std::string&, const device::SwitchConfig&) {}

  void link(const scenario::Scenario& s, std::size_t n) {
    const auto name = "link " + scenario::device_of(s.links[n].to) + "-" + scenario::device_of(s.links[n].from);
    const auto at = "/links/" + std::to_string(n) + "/";
    add(name, {{at + "width"}});
    for (const auto& [called, key] : credit_pools) add(std::string{called} + " of " + name, {{at + "credits/" + key}});
  }
  void socket_link(const scenario::InterSocket& link, std::size_t n) {
    const auto at = "/inter_socket/" + std::to_string(n) + "/";
    const auto name = "link " + link.to + "-" + link.from;
    add(name, {{at + "rate"}});
    add(name + " peer writes", {{at + "peer_write_rate"}});
    add(name + " peer reads", {{at + "peer_read_rate"}});
  }
  /// Transfers in flight of each entry of a GPU's kernels; all together, which are the device's own.
  void in_flight(const scenario::Scenario& s) {
    for (std::size_t n = 0; n < s.traffic.size(); ++n) {
      const auto& t = s.traffic[n];
      if (t.as<scenario::traffic::Dma>() == nullptr) continue;
      const auto of_device = std::ranges::count_if(s.traffic, [&](const scenario::Traffic& other) {
        return other.from == t.from && other.as<scenario::traffic::Dma>() != nullptr;
      });
      add(t.from + " transfers in flight" + (of_device > 1 ? " of " + t.name : ""),
          {{"/traffic/" + std::to_string(n) + "/outstanding"}, {device(t.from) + "kernels/reads"}});
    }
  }
  /// Where the wire is what generates frames, it has to keep up.
  void arrival(const scenario::Scenario& s) {
    Suspect rate{std::string{Suspect::arrival}, {}};
    for (std::size_t n = 0; n < s.traffic.size(); ++n) {
      rate.changes.push_back({"/traffic/" + std::to_string(n) + "/rate"});
      const auto wire = device(s.traffic[n].from) + "wire_rate";
      if (s.traffic[n].is<scenario::traffic::Receive>() &&
          std::ranges::find(rate.changes, wire, &Change::pointer) == rate.changes.end())
        rate.changes.push_back({wire});
    }
    all.push_back(std::move(rate));
  }

  std::vector<Suspect> all;

 private:
  static constexpr std::array<std::pair<std::string_view, const char*>, 6> credit_pools{
      {{"posted header credits", "posted_header"},
       {"posted data credits", "posted_data"},
       {"non-posted header credits", "non_posted_header"},
       {"non-posted data credits", "non_posted_data"},
       {"completion header credits", "completion_header"},
       {"completion data credits", "completion_data"}}};

  static std::string device(const std::string& name) { return "/devices/" + name + "/"; }
  void add(std::string name, std::vector<Change> changes) { all.push_back({std::move(name), std::move(changes)}); }
};

std::vector<Suspect> all_suspects(const scenario::Scenario& scenario) {
  Resources resources;
  resources.arrival(scenario);
  for (const auto& device : scenario.devices)
    std::visit([&](const auto& config) { resources.of(device.name, config); }, device.config);
  resources.in_flight(scenario);
  for (std::size_t n = 0; n < scenario.links.size(); ++n) resources.link(scenario, n);
  for (std::size_t n = 0; n < scenario.inter_socket.size(); ++n) resources.socket_link(scenario.inter_socket[n], n);
  return std::move(resources.all);
}

/// The suspect that a resource of the results belongs to: of those with this beginning the longest.
Suspect* owner(std::vector<Suspect>& all, const std::string& resource) {
  Suspect* found = nullptr;
  for (auto& suspect : all)
    if (is_limit(suspect.name, resource) && (found == nullptr || suspect.name.size() > found->name.size()))
      found = &suspect;
  return found;
}

void raise(std::vector<Suspect>& all, const std::string& resource, double suspicion) {
  if (auto* suspect = owner(all, resource)) suspect->suspicion = std::max(suspect->suspicion, suspicion);
}

double metric(const observe::Results& results, const std::string& name) {
  const auto* found = find_metric(results, name);
  return found == nullptr || !found->value ? 0 : found->value->value();
}

/// Of each direction the credits that seem scarce, by how long some were missing.
void suspect_credits(std::vector<Suspect>& all, const scenario::Scenario& scenario, const observe::Results& results) {
  for (const auto& link : results.links)
    for (const auto direction : {observe::Direction::up, observe::Direction::down}) {
      const observe::LinkSide side{&link, direction};
      const auto stall = static_cast<double>(side.sent().credit_stall.count()) * 100 /
                         static_cast<double>(std::max<std::int64_t>(1, results.window.count()));
      if (stall > 0) raise(all, observe::scarce_credits(results, scenario, side) + " of " + side.name(), stall);
    }
}

void suspect_nic(std::vector<Suspect>& all, const std::string& nic, const observe::Results& results) {
  const auto seen = [&](const char* what) { return metric(results, nic + what) > 0; };
  if (seen(".dropped_fifo_full")) raise(all, nic + " receive FIFO", 60);
  if (seen(".rx_waited_fetch")) raise(all, nic + " descriptor prefetch", 55);
  if (seen(".rx_waited_ring")) raise(all, nic + " receive ring", 55);
  if (seen(".interrupts")) raise(all, nic + " interrupt moderation", 54);
}

}  // namespace

std::vector<Suspect> suspects(const scenario::Scenario& scenario, const observe::Results& results, std::size_t most) {
  auto all = all_suspects(scenario);
  for (const auto& busy : results.utilisation) raise(all, busy.name, busy.percent.value());
  for (const auto& cpu : results.cpus)
    raise(all, cpu.name + ", its busiest core",
          static_cast<double>(cpu.busiest.count()) * 100 /
              static_cast<double>(std::max<std::int64_t>(1, results.window.count())));
  suspect_credits(all, scenario, results);
  for (const auto& device : scenario.devices) {
    if (std::holds_alternative<device::NicConfig>(device.config)) suspect_nic(all, device.name, results);
    const auto misses = metric(results, device.name + ".iommu_misses");
    if (misses > 0) raise(all, device.name + " IOTLB", 70);
  }
  for (const auto& traffic : results.traffic)
    if (traffic.kind == "read" || traffic.kind == "write") raise(all, traffic.from + " transfers in flight", 50);
  all.front().suspicion = 1e6;  // the arrival rate
  for (const auto& limit : results.limits) raise(all, limit.name, 1e5);
  std::ranges::stable_sort(all, [](const Suspect& a, const Suspect& b) { return a.suspicion > b.suspicion; });
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace peerpath::study
