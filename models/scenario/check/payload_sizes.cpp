// MPS and MRRS (PCIe Base Spec 7.5.3.3, 7.5.3.4): powers of two, and no TLP larger than anything on its way can take.
#include <bit>
#include <set>
#include <utility>

#include "peerpath/scenario/describe.hpp"
#include "scenario/check/check.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

struct Capability {
  Bytes most;
  bool known = false;
};

// Largest TLP payload that the ports of a device take.
Capability capability(const Device& device) {
  return std::visit(
      []<class Config>(const Config& config) -> Capability {
        if constexpr (requires { config.max_payload_supported; })
          return {config.max_payload_supported, true};
        else if constexpr (requires { config.function; })
          return {config.function.max_payload_supported, true};
        else
          return {};
      },
      device.config);
}

class PayloadSizes {
 public:
  PayloadSizes(const Tree& tree, Problems& out) : tree_{tree}, out_{out} {}

  void check(const Device& device) {
    const auto* function = function_of(device);
    const std::string at = join("/devices", device.name);
    if (function == nullptr) {
      if (const auto own = capability(device); own.known) power_of_two(at + "/max_payload_supported", own.most);
      return;
    }
    power_of_two(at + "/function/max_payload_supported", function->max_payload_supported);
    power_of_two(at + "/function/max_payload", function->max_payload);
    power_of_two(at + "/function/max_read_request", function->max_read_request);
    for (const Device* on_way : tree_.way_up(device.name)) must_fit(device, *on_way);
  }

  /// What `sender` sends must fit into `receiver`, and into all above it: peers meet below a common switch.
  void must_fit(const Device& sender, const Device& receiver) {
    const auto* function = function_of(sender);
    const auto limit = capability(receiver);
    if (function == nullptr || !limit.known || function->max_payload <= limit.most) return;
    if (!said_.insert({sender.name, receiver.name}).second) return;
    const std::string what = &sender == &receiver
                                 ? "its own max_payload_supported, "
                                 : "what " + receiver.name + " on the path supports, max_payload_supported ";
    out_.push_back({"", 0, 0, join("/devices", sender.name) + "/function/max_payload",
                    to_text(function->max_payload) + " is above " + what + to_text(limit.most)});
  }

 private:
  void power_of_two(std::string key, Bytes value) {
    if (value.count() > 0 && std::has_single_bit(static_cast<std::uint64_t>(value.count()))) return;
    out_.push_back({"", 0, 0, std::move(key), to_text(value) + " is not one of 128B, 256B, 512B, 1KiB, 2KiB, 4KiB"});
  }

  const Tree& tree_;
  Problems& out_;
  std::set<std::pair<std::string, std::string>> said_;
};

}  // namespace

void check_payload_sizes(const Scenario& scenario, const Tree& tree, Problems& out) {
  PayloadSizes sizes{tree, out};
  for (const Device& device : scenario.devices) sizes.check(device);
  for (const Traffic& traffic : scenario.traffic) {
    const Device *from = tree.find(traffic.from), *to = tree.find(traffic.to);
    if (from == nullptr || to == nullptr) continue;
    for (const Device* on_way : tree.way_up(to->name)) sizes.must_fit(*from, *on_way);
    for (const Device* on_way : tree.way_up(from->name)) sizes.must_fit(*to, *on_way);
  }
}

}  // namespace peerpath::scenario
