// The kinds of devices that a platform can have.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "peerpath/scenario/scenario.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class Platform;

/// Makes all devices of the scenario, kind by kind, and hands each to `keep` as soon as it is there: one may refer to
/// those before it.
void make_devices(const scenario::Scenario& scenario, Platform& platform,
                  const std::function<void(const std::string& name, std::unique_ptr<Device>)>& keep);

}  // namespace peerpath::platform
