// What the checks of the kinds of traffic (models/traffic/*/check.cpp) are written with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "peerpath/base/problem.hpp"
#include "scenario/tree.hpp"

namespace peerpath::scenario {

/// The options of a device if it is there and of this kind, else nullptr.
template <class Config>
const Config* config_of(const Device* device) {
  return device == nullptr ? nullptr : std::get_if<Config>(&device->config);
}

/// Memory of a device that peers can address, directly or by remapping.
Bytes reachable(const Device& device);

/// The check of all traffic, entry by entry. A kind says through it what is wrong.
class TrafficCheck {
 public:
  /// Queues of an endpoint in the fabric.
  static constexpr int most_queues = 20;

  TrafficCheck(const Scenario& scenario, const Tree& tree, Problems& out)
      : scenario_{scenario}, tree_{tree}, out_{out} {}
  void check();

  const Scenario& scenario() const { return scenario_; }
  const Tree& tree() const { return tree_; }
  /// The entry that is checked.
  const Traffic& traffic() const { return scenario_.traffic[entry_]; }

  /// A problem with a key of the entry that is checked, or of another one.
  void add(std::string_view key, std::string message) { add(entry_, key, std::move(message)); }
  void add(std::size_t entry, std::string_view key, std::string message);

  /// The device called `name`; nullptr, with a problem, if there is none or `accept` refuses it.
  const Device* end(std::string_view key, const std::string& name, std::string_view wanted,
                    const std::function<bool(const Device&)>& accept);
  template <class Config>
  const Device* end(std::string_view key, const std::string& name, std::string_view wanted) {
    return end(key, name, wanted, [](const Device& d) { return std::holds_alternative<Config>(d.config); });
  }
  /// The same for a device with memory that peers can address, and for one that does DMA.
  const Device* memory_end(std::string_view key, const std::string& name);
  const Device* requester_end(std::string_view key, const std::string& name);

  /// Takes a queue of the device. Returns the number of those that it has for itself if this is the first one beyond
  /// `most`, else nothing.
  std::optional<int> take_queue(const Device& device, int most = most_queues);
  /// The memory with the rings of a NIC: that of the first entry that asked.
  const std::string& rings_of(const std::string& nic, const std::string& memory) {
    return rings_.try_emplace(nic, memory).first->second;
  }

 private:
  void check_names();
  void check_pace();
  void check_end();

  const Scenario& scenario_;
  const Tree& tree_;
  Problems& out_;
  std::size_t entry_ = 0;
  std::map<std::string, std::size_t> names_;  ///< of entries
  std::map<std::string, int> queues_;         ///< taken, by device
  std::map<std::string, std::string> rings_;  ///< by NIC
};

}  // namespace peerpath::scenario
