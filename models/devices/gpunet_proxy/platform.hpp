// Sockets of GPU programs in a platform: a proxy, and what a traffic entry sets up at GPU, host and NIC.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/gpunet_proxy/blocks.hpp"
#include "devices/gpunet_proxy/wire_end.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class HostMemory;
class Platform;

/// A thread, or several, at host memory. Traffic entries have it serve their connections.
class GpunetProxy final : public Device {
 public:
  GpunetProxy(HostMemory& host, const device::GpunetProxyConfig& config);
  const device::GpunetProxyConfig& config() const { return config_; }
  HostMemory& host() const { return host_; }
  /// What serves connections in its name: one of the proxies of these cores, and the blocks.
  void serves(const proxy::Cores& cores, std::size_t number, const proxy::Blocks& blocks) {
    served_.push_back({&cores, number, &blocks});
  }
  std::any count(Instant now) override;
  void report(Report& report, const std::string& name, const std::any& before, const std::any& after) const override;

  struct Counted {
    proxy::ProxyCounters proxy;
    proxy::BlockCounters blocks;
  };

 private:
  struct Served {
    const proxy::Cores* cores;
    std::size_t number;
    const proxy::Blocks* blocks;
  };
  device::GpunetProxyConfig config_;
  HostMemory& host_;
  std::vector<Served> served_;
};

/// What one traffic entry sets up, before the domain is built.
class GpuSockets {
 public:
  /// Are told of each message as it begins, and when it, its echo or its answer is over.
  using Began = std::function<void(Instant when, Bytes size)>;
  using Done = std::function<void(const proxy::Moments& at, Bytes size)>;

  GpuSockets(const scenario::Traffic& traffic, Platform& platform, Began began, Done done);

  /// Channels whose payload is the entry's: nodes, and the device that was attached there.
  const std::vector<std::pair<fabric::NodeId, DeviceIndex>>& sources() const { return sources_; }
  /// "store", ...: what lies between the moments, and from what to what.
  static std::vector<std::pair<std::string, std::string>> stages(const scenario::Traffic& traffic, bool from_host);

 private:
  /// A proxy, and what is at its GPU.
  struct End {
    GpunetProxy* proxy = nullptr;
    std::string name;
    std::vector<proxy::BlockPlan> blocks;
    proxy::ProxyPlan plan;
    proxy::Places places;
    std::unique_ptr<proxy::Blocks> gpu;
    std::unique_ptr<proxy::WireEnd> nic;
    DeviceIndex nic_device{};
  };

  proxy::Lane* lane(proxy::Track* track, const proxy::Stamps& stamps, End* from, End* to);
  void connect(const scenario::traffic::Gpunet& what);
  void stream(End& from, End& to, Duration work);
  proxy::Track& track();
  void place(End& end, Platform& platform);
  void attach(Platform& platform);

  const scenario::Traffic& traffic_;
  proxy::Way way_;
  Began began_;
  Done done_;
  std::vector<std::unique_ptr<proxy::Track>> tracks_;
  std::vector<std::unique_ptr<proxy::Lane>> all_;
  std::vector<proxy::Lane*> lanes_;
  std::vector<std::unique_ptr<End>> ends_;  ///< `to` first
  proxy::ClientPlan client_;
  proxy::StorePlan store_;
  std::map<fabric::NodeId, std::unique_ptr<proxy::Cores>> cores_;  ///< by host
  std::map<fabric::NodeId, std::vector<device::Window>> windows_;
  std::vector<std::pair<fabric::NodeId, DeviceIndex>> sources_;
};

}  // namespace peerpath::platform
