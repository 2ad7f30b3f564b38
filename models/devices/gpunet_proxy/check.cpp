#include <algorithm>
#include <array>

#include "devices/gpunet_proxy/kind.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/check/device_check.hpp"

namespace peerpath::device {
namespace {

using scenario::SocketChannel;
using scenario::SocketPattern;

/// What sockets of a proxy's GPU can be asked for, of the entry whose `to` it is.
void check_entry(const GpunetProxyConfig& proxy, std::size_t entry, scenario::DeviceCheck& check) {
  const auto& t = check.scenario().traffic[entry];
  const auto& what = *t.as<scenario::traffic::Gpunet>();
  const auto& tree = check.tree();
  const auto* from = tree.find(t.from);
  if (from == nullptr) return;
  const auto* other = std::get_if<GpunetProxyConfig>(&from->config);
  const auto add = [&](std::string_view key, const std::string& message) { check.add_traffic(entry, key, message); };
  if (t.from == t.to) add("to", "is " + t.to + " itself; two blocks of one GPU need two proxies");
  const bool needs_two = what.pattern == SocketPattern::stream || what.pattern == SocketPattern::mapreduce;
  if (other == nullptr && (needs_two || what.channel == SocketChannel::rdma))
    add("from", what_is(*from) + ", not a gpunet_proxy, which " +
                    (needs_two ? std::string{name_of(what.pattern)} : "the channel rdma") + " has at both ends");
  if (other != nullptr && what.pattern == SocketPattern::face_server)
    add("from", what_is(*from) + "; clients of a face_server are programs at a host_memory");
  if (what.channel == SocketChannel::rdma) {
    for (const auto* one : {&proxy, other})
      if (one != nullptr && one->nic.empty()) add("channel", "rdma needs \"nic\" of both proxies");
  } else {
    if (what.doorbell == scenario::Doorbell::gpu) add("doorbell", "requires the channel rdma");
    if (scenario::through_host(t.path)) add("path", "bounce requires the channel rdma; kernel sockets always bounce");
    if (tree.root_of(t.from) != tree.root_of(t.to))
      add("channel",
          "channels unix and tcp work within one host; " + t.from + " and " + t.to + " are at different hosts");
  }
  if (t.path == scenario::DataPath::staged) add("path", "staged is supported by receive and transmit only; use bounce");
  if (what.doorbell == scenario::Doorbell::gpu && scenario::through_host(t.path))
    add("path", "doorbell gpu requires path zero_copy");
  for (std::size_t i = 0; i < t.sizes.size(); ++i)
    if (t.sizes[i] > Bytes{1 << 26}) add("sizes/" + std::to_string(i), "is above 64MiB");
  if (t.flows > 1024) add("flows", "is above 1024, the maximum number of simulated blocks");
}

}  // namespace

void Kind<GpunetProxyConfig>::check(const GpunetProxyConfig& proxy, scenario::DeviceCheck& check) {
  const auto& tree = check.tree();
  check.units("threads", proxy.threads);
  check.power_of_two("ring", proxy.ring.count(), scenario::to_text(proxy.ring));
  if (tree.root_config(proxy.at) != nullptr && !check.has_memory_beside())
    check.add_device("needs a host_memory for its rings");
  const auto named = [&]<class Config>(std::string_view key, const std::string& name, std::type_identity<Config>,
                                       const char* wanted) {
    const auto* device = tree.find(name);
    if (device == nullptr) return check.add(key, no_device(tree, name));
    if (!std::holds_alternative<Config>(device->config)) check.add(key, what_is(*device) + ", not " + wanted);
  };
  named("gpu", proxy.gpu, std::type_identity<GpuConfig>{}, "a gpu");
  if (!proxy.nic.empty()) named("nic", proxy.nic, std::type_identity<NicConfig>{}, "a nic");
  for (const auto& [key, costs] : {std::pair{"unix", &proxy.local}, std::pair{"tcp", &proxy.tcp}})
    if (costs->segment > costs->buffer)
      check.add(std::string{key} + "/segment",
                scenario::to_text(costs->segment) + " is more than the buffer, " + scenario::to_text(costs->buffer));
  const auto& traffic = check.scenario().traffic;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    const auto* to = tree.find(traffic[i].to);
    if (to == nullptr || std::get_if<GpunetProxyConfig>(&to->config) != &proxy) continue;
    if (traffic[i].is<scenario::traffic::Gpunet>()) check_entry(proxy, i, check);
  }
}

}  // namespace peerpath::device
