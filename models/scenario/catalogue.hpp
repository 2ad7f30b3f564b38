// A walk over the kinds of devices, in the order of the catalogue (peerpath/device/catalogue.hpp).
#pragma once

#include <string_view>
#include <type_traits>
#include <variant>

#include "peerpath/scenario/scenario.hpp"

namespace peerpath::scenario {

/// The name of a kind of device (the text of `devices.X.kind`) or of a section, and the struct that holds its options.
template <class Config>
struct Kind {
  using config = Config;
  std::string_view name;
  std::string_view doc;
};

namespace detail {
template <class... Configs, class Use>
constexpr void each_kind(std::variant<Configs...>*, Use& use) {
  (use(Kind<Configs>{device::Kind<Configs>::name, device::Kind<Configs>::doc}), ...);
}
}  // namespace detail

/// Calls `use` with each `Kind` in turn.
template <class Use>
constexpr void for_each_kind(Use use) {
  detail::each_kind(static_cast<DeviceConfig*>(nullptr), use);
}

/// Calls `use(trait, config)` with the trait of the device's kind (peerpath/device/kind.hpp) and its options.
template <class Use>
decltype(auto) with_kind(const Device& device, Use use) {
  return std::visit([&]<class Config>(const Config& config) { return use(device::Kind<Config>{}, config); },
                    device.config);
}

/// Where a device stands in the hierarchy.
inline device::Role role_of(const Device& device) {
  return with_kind(device, [](auto kind, const auto&) { return kind.role; });
}

/// Whether the device has ports that links come from.
inline bool has_ports(const Device& device) {
  return role_of(device) == device::Role::root_complex || role_of(device) == device::Role::router;
}

/// The text of `kind` for a device.
inline std::string_view kind_of(const Device& device) {
  return with_kind(device, [](auto kind, const auto&) { return kind.name; });
}

}  // namespace peerpath::scenario
