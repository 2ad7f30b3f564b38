// The kinds of device that there are. A new device is its folder, and one line in catalogue.cpp.
#pragma once

#include <span>
#include <string_view>

namespace peerpath::device {

/// One kind: as a scenario spells it, what it is, and the least that a scenario has to say of one.
struct DeviceKind {
  std::string_view name, doc, example;
};

/// All kinds, in the order in which documentation lists them.
std::span<const DeviceKind> device_kinds();

}  // namespace peerpath::device
