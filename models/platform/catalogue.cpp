#include "platform/catalogue.hpp"

#include <utility>
#include <variant>

namespace peerpath::platform {
namespace {

template <class... Configs>
void make_all(std::variant<Configs...>*, const scenario::Scenario& scenario, Platform& platform, const Keep& keep) {
  const auto make = [&]<class Config>(std::in_place_type_t<Config>) {
    for (const auto& device : scenario.devices)
      if (const auto* config = std::get_if<Config>(&device.config))
        keep(device.name, device::Kind<Config>::make(device.name, *config, scenario, platform));
  };
  (make(std::in_place_type<Configs>), ...);
}

}  // namespace

void make_devices(const scenario::Scenario& scenario, Platform& platform, const Keep& keep) {
  make_all(static_cast<device::AnyConfig*>(nullptr), scenario, platform, keep);
}

}  // namespace peerpath::platform
