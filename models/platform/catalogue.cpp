#include "platform/catalogue.hpp"

#include <tuple>
#include <variant>

#include "devices/dma_card/platform.hpp"
#include "devices/gpu/platform.hpp"
#include "devices/host_cpu/platform.hpp"
#include "devices/host_memory/platform.hpp"
#include "devices/nic/platform.hpp"
#include "devices/pcie_switch/platform.hpp"
#include "devices/root_complex/platform.hpp"

namespace peerpath::platform {
namespace {

/// What makes a device of a kind, from its name and options.
template <class Config>
using Make = std::unique_ptr<Device> (*)(const std::string& name, const Config& config,
                                         const scenario::Scenario& scenario, Platform& platform);

template <class Config>
struct Kind {
  Make<Config> make;
};

/// One line a kind. In this order they are made, and nodes and links of the fabric are numbered.
constexpr std::tuple kinds{Kind<device::RootComplexConfig>{RootComplex::make},
                           Kind<device::HostMemoryConfig>{HostMemory::make},
                           Kind<device::SwitchConfig>{PcieSwitch::make},
                           Kind<device::GpuConfig>{Gpu::make},
                           Kind<device::NicConfig>{Nic::make},
                           Kind<device::DmaCardConfig>{DmaCard::make},
                           Kind<device::HostCpuConfig>{HostCpu::make}};
static_assert(std::tuple_size_v<decltype(kinds)> == std::variant_size_v<scenario::DeviceConfig>);

}  // namespace

void make_devices(const scenario::Scenario& scenario, Platform& platform,
                  const std::function<void(const std::string& name, std::unique_ptr<Device>)>& keep) {
  const auto make_all = [&]<class Config>(const Kind<Config>& kind) {
    for (const auto& device : scenario.devices)
      if (const auto* config = std::get_if<Config>(&device.config))
        keep(device.name, kind.make(device.name, *config, scenario, platform));
  };
  std::apply([&](const auto&... kind) { (make_all(kind), ...); }, kinds);
}

}  // namespace peerpath::platform
