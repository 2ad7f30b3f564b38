// What other code asks of a kind of device without naming it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "peerpath/base/units.hpp"

namespace peerpath::scenario {
class DeviceCheck;
struct Scenario;
}  // namespace peerpath::scenario

namespace peerpath::platform {
class Device;
class Platform;
}  // namespace peerpath::platform

namespace peerpath::device {

/// Where a kind stands in the PCIe hierarchy.
enum class Role : std::uint8_t {
  root_complex,  ///< its ports lead down; nothing is above it
  at_root,       ///< stands at the root complex that its option `at` names, without a link
  router,        ///< a switch: has an upstream port and any number of downstream ones
  endpoint,      ///< a function below a link: has the option `function`
};

/// The answers of most kinds. The trait of a kind hides those that are otherwise for it.
struct CommonKind {
  static constexpr Role role = Role::endpoint;
  /// Whether it has an Ethernet port.
  static constexpr bool has_wire = false;
  /// Whether the emulator has such a device.
  static constexpr bool emulated = false;
  /// Whether an engine of its own makes transfers that come regularly and have traffic class 0.
  static constexpr bool has_engine = false;

  /// Memory that peers can address, all of it or piece by piece; nothing if it has none.
  static std::optional<Bytes> memory(const auto&) { return std::nullopt; }
  /// Of a buffer in a GPU that it writes to or reads from, how much software maps into the GPU's window before the run.
  static Bytes maps(const auto&, Bytes buffer) { return buffer; }
  /// What it takes of the address space.
  static Bytes address_space(const auto&) { return Bytes{}; }
  /// Queues towards the fabric that it has for itself.
  static int own_queues(const auto&) { return 2; }
  /// Transfers of write and read traffic that it has in flight at most.
  static int in_flight(const auto&) { return 64; }
};

/// The trait of the kind whose options are `Config`: beside what CommonKind has,
/// `name`: the text of `devices.X.kind`; `doc`: one sentence for help and schema;
/// `check(config, check)`: what is wrong with its options beyond the range of each (check.cpp of its folder);
/// `make(name, config, scenario, platform)`: the device in a run (platform.cpp of its folder), which has its ports,
/// counters and report.
template <class Config>
struct Kind;

}  // namespace peerpath::device
