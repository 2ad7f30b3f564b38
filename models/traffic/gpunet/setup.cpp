#include "devices/gpunet_proxy/platform.hpp"
#include "platform/kind_setup.hpp"
#include "traffic/gpunet/kind.hpp"

namespace peerpath::platform {
namespace {

/// Each entry has connections, blocks and programs of its own.
class GpunetSetup final : public KindSetup {
 public:
  explicit GpunetSetup(SetupContext& context) : context_{context} {}

  void add(std::size_t entry) override {
    const auto& t = context_.entry(entry);
    auto& platform = context_.platform;
    auto& meter = context_.meter;
    meter.count_failures(entry, Meter::Failing::ends_nothing);
    auto& result = meter.traffic[entry];
    const bool from_program = platform.find<GpunetProxy>(t.from) == nullptr;
    for (const auto& [name, doc] : GpuSockets::stages(t, from_program)) result.stages.push_back({name, doc, {}});
    result.requesters.clear();
    for (const auto& end : {t.from, t.to})
      if (const auto* proxy = platform.find<GpunetProxy>(end)) {
        result.requesters.push_back(proxy->config().gpu);
        if (!proxy->config().nic.empty()) result.requesters.push_back(proxy->config().nic);
      }
    const auto& sockets = *sockets_.emplace_back(std::make_unique<GpuSockets>(
        t, platform, [&meter, entry](Instant when, Bytes size) { meter.offered(entry, when, size); },
        [&meter, entry](const proxy::Moments& at, Bytes size) {
          meter.transferred(entry, at.front(), at.back(), size);
          meter.staged(entry, at);
        }));
    for (const auto& [node, device] : sockets.sources())
      meter.owners.map_source(node, platform.domain.first_channel(device), entry);
  }

 private:
  SetupContext& context_;
  std::vector<std::unique_ptr<GpuSockets>> sockets_;
};

}  // namespace
}  // namespace peerpath::platform

namespace peerpath::scenario::traffic {

std::unique_ptr<platform::KindSetup> Kind<Gpunet>::set_up(platform::SetupContext& context) {
  return std::make_unique<platform::GpunetSetup>(context);
}

}  // namespace peerpath::scenario::traffic
