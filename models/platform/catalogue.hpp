// All devices of a scenario, of whatever kinds.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "peerpath/scenario/scenario.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class Platform;

/// Who keeps a device that has been made.
using Keep = std::function<void(const std::string& name, std::unique_ptr<Device>)>;

/// Makes all devices of the scenario, kind by kind in the order of the catalogue, and hands each to `keep` as soon as
/// it is there: one may refer to those before it.
void make_devices(const scenario::Scenario& scenario, Platform& platform, const Keep& keep);

}  // namespace peerpath::platform
