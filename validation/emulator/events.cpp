#include "validation/emulator/events.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "validation/emulator/acs.hpp"

namespace peerpath::emulator {
namespace {

using Json = nlohmann::json;
namespace event = scenario::event;

using scenario::device_of;

std::string command(const char* name, Json arguments) {
  return Json{{"execute", name}, {"arguments", std::move(arguments)}}.dump();
}

bool is_switch(const scenario::Scenario& scenario, const std::string& name) {
  return std::ranges::any_of(scenario.devices, [&](const auto& device) {
    return device.name == name && std::holds_alternative<device::SwitchConfig>(device.config);
  });
}

/// The ports that an event names: all of a switch, or the one above a device. QEMU's names of them are those that
/// make_machine gives.
std::vector<std::string> ports(const scenario::Scenario& scenario, const std::string& device, bool& root) {
  std::vector<std::string> out;
  for (const auto& link : scenario.links) {
    const auto parent = device_of(link.from), child = device_of(link.to);
    const bool whole = parent == device;
    const bool above = child == device && !is_switch(scenario, device);
    if (!whole && !above) continue;
    root = root || !is_switch(scenario, parent);
    out.push_back(parent + "." + child);
  }
  return out;
}

class Translator {
 public:
  explicit Translator(const scenario::Scenario& scenario) : scenario_{scenario} {}

  tl::expected<std::vector<TimedCommands>, Problems> all() {
    for (const auto& event : scenario_.events) {
      key_ = "/events/" + std::to_string(&event - scenario_.events.data());
      std::visit([&](const auto& what) { one(event, what); }, event.what);
    }
    if (!problems_.empty()) return tl::unexpected{problems_};
    std::ranges::stable_sort(out_, {}, &TimedCommands::at);
    return out_;
  }

 private:
  void problem(const char* key, const std::string& message) { problems_.push_back({"", 0, 0, key_ + key, message}); }

  void add(const scenario::Event& event, std::vector<std::string> commands) {
    const auto nic = std::ranges::find_if(
        scenario_.devices, [](const auto& device) { return std::holds_alternative<device::NicConfig>(device.config); });
    const auto path = "/machine/peripheral/" + (nic == scenario_.devices.end() ? "" : nic->name);
    out_.push_back({event.at, command("qom-get", {{"path", path}, {"property", "ledger-json"}}), std::move(commands)});
  }

  void one(const scenario::Event& event, const event::Acs& what) {
    bool root = false;
    std::vector<std::string> commands;
    for (const auto& port : ports(scenario_, event.device, root))
      commands.push_back(command(
          "qom-set",
          {{"path", "/machine/peripheral/" + port}, {"property", "acs-control"}, {"value", acs_register(what.acs)}}));
    if (root) return problem("/device", "the emulator changes ACS of switches only, not of root ports");
    if (std::ranges::find(what.acs, pcie::AcsControl::egress_control) != what.acs.end())
      return problem("/acs", "the emulator's ports have no EC");
    add(event, commands);
  }

  void one(const scenario::Event& event, const event::PortDown&) { set_carrier(event, false); }
  void one(const scenario::Event& event, const event::PortUp&) { set_carrier(event, true); }

  void set_carrier(const scenario::Event& event, bool on) {
    add(event, {command("set_link", {{"name", event.device}, {"up", on}})});
  }

  template <class What>
  void one(const scenario::Event&, const What&) {
    if constexpr (!event::HappensToFrame<What>)  // the machine's NIC knows of frames (machine.cpp)
      problem("/kind", "the emulator cannot do " + std::string{What::name} +
                           ": its PCIe links have no time; it can do acs, port_down, port_up, drop_frame, "
                           "corrupt_frame and reorder_frame");
  }

  const scenario::Scenario& scenario_;
  std::string key_;
  std::vector<TimedCommands> out_;
  Problems problems_;
};

}  // namespace

tl::expected<std::vector<TimedCommands>, Problems> make_events(const scenario::Scenario& scenario) {
  return Translator{scenario}.all();
}

}  // namespace peerpath::emulator
