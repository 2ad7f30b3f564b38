#include "scenario/hosts.hpp"

#include <algorithm>
#include <array>

#include "peerpath/scenario/load.hpp"
#include "scenario/merge.hpp"
#include "scenario/suggest.hpp"

namespace peerpath::scenario {
namespace {

/// The lists of a machine, and which values of their entries name devices.
struct List {
  std::string_view key;
  std::array<std::string_view, 3> names;
};
constexpr std::array lists{List{"links", {"from", "to"}}, List{"inter_socket", {"from", "to"}},
                           List{"arbitration", {"at", "from", "to"}}};

/// The value of `key` in `object`, made if it is not there; nullptr if it is of another type.
Node* part(Node& object, std::string_view key, Node::Type type, Place place) {
  if (Node* found = object.find(key)) return found->is(type) ? found : nullptr;
  Node made;
  made.type = type;
  made.place = place;
  object.members.push_back({std::string{key}, place, std::move(made)});
  return &object.members.back().value;
}

void rename(Node& object, std::string_view key, const std::string& prefix) {
  if (Node* name = object.find(key); name != nullptr && name->is(Node::Type::string) && !name->text.empty())
    name->text.insert(0, prefix);
}

class Expansion {
 public:
  Expansion(Node& root, Report& report) : root_{root}, report_{report} {}

  void expand(const Node& hosts) {
    if (!hosts.is(Node::Type::object)) {
      report_.add(hosts.place, "/hosts", shown(hosts) + " is not an object that maps host names to hosts");
      return report_.give_up("");
    }
    for (const Member& host : hosts.members) expand(host);
  }

 private:
  void expand(const Member& host) {
    const auto at = join("/hosts", host.key);
    if (!is_name(host.key)) return refuse(host.place, at, "is not a valid host name; use letters, digits, _ and -");
    if (!host.value.is(Node::Type::object))
      return refuse(host.value.place, at, shown(host.value) + " is not an object");
    for (const Member& member : host.value.members) check(member, at);
    const auto count = count_of(host.value, at);
    const Node* devices = host.value.find("devices");
    if (devices == nullptr || devices->members.empty())
      return refuse(host.place, at, "has no \"devices\"; a host needs at least a root_complex");
    const auto all = static_cast<std::int64_t>(devices->members.size()) * count;
    if (all > max_devices)
      return refuse(
          host.place, at,
          "has " + std::to_string(all) + " devices in all; a scenario has " + std::to_string(max_devices) + " at most");
    for (std::int64_t i = 0; i < count; ++i) add(host, host.key + "[" + std::to_string(i) + "].");
  }

  /// Later checks would speak of what a machine with a mistake lacks.
  void refuse(Place place, const std::string& at, std::string message) {
    report_.add(place, at, std::move(message));
    report_.give_up("");
  }

  void check(const Member& member, const std::string& at) {
    static const std::vector<std::string> known{"count", "devices", "links", "inter_socket", "arbitration"};
    const auto type = member.key == "count"     ? Node::Type::integer
                      : member.key == "devices" ? Node::Type::object
                                                : Node::Type::array;
    if (std::ranges::find(known, member.key) == known.end()) {
      const auto meant = did_you_mean(member.key, known);
      refuse(member.place, join(at, member.key),
             "unknown key in a host" + (meant.empty() ? "; allowed are count, devices, links, inter_socket and "
                                                        "arbitration; all other keys belong beside `hosts`"
                                                      : meant));
    } else if (!member.value.is(type)) {
      refuse(member.value.place, join(at, member.key),
             shown(member.value) + (type == Node::Type::integer  ? " is not a whole number"
                                    : type == Node::Type::object ? " is not an object that maps device names to devices"
                                                                 : " is not a list"));
    }
  }

  std::int64_t count_of(const Node& host, const std::string& at) {
    const Node* count = host.find("count");
    if (count == nullptr || !count->is(Node::Type::integer)) return 1;
    constexpr std::int64_t most = 256;
    if (count->integer >= 1 && count->integer <= most) return count->integer;
    refuse(count->place, at + "/count", count->text + " machines; 1 to " + std::to_string(most));
    return 1;
  }

  void add(const Member& host, const std::string& prefix) {
    if (const Node* devices = host.value.find("devices"); devices != nullptr && devices->is(Node::Type::object))
      for (const Member& device : devices->members) add_device(device, prefix);
    for (const auto& [key, names] : lists) {
      const Node* entries = host.value.find(key);
      if (entries == nullptr || !entries->is(Node::Type::array)) continue;
      Node* all = part(root_, key, Node::Type::array, entries->place);
      if (all == nullptr) continue;  // the reader says so
      for (Node entry : entries->items) {
        for (const auto name : names) rename(entry, name, prefix);
        all->items.push_back(std::move(entry));
      }
    }
  }

  void add_device(const Member& device, const std::string& prefix) {
    Node* all = part(root_, "devices", Node::Type::object, device.place);
    if (all == nullptr) return;
    Node value = device.value;
    rename(value, "at", prefix);
    if (!is_name(device.key)) {
      const auto at = join(join("/hosts", prefix.substr(0, prefix.find('['))) + "/devices", device.key);
      return refuse(device.place, at, "is not a valid device name; use letters, digits, _ and -");
    }
    const auto name = prefix + device.key;
    if (Node* changes = all->find(name)) {
      merge_patch(value, std::move(*changes));
      *changes = std::move(value);
    } else {
      all->members.push_back({name, device.place, std::move(value)});
    }
  }

  Node& root_;
  Report& report_;
};

}  // namespace

bool is_name(std::string_view name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                              std::string_view::npos;
}

std::string_view own_name(std::string_view device) {
  const auto open = device.find('['), close = device.find("].");
  if (open == device.npos || close == device.npos || close < open + 2) return device;
  const auto number = device.substr(open + 1, close - open - 1);
  const bool well_formed = is_name(device.substr(0, open)) && number.find_first_not_of("0123456789") == number.npos;
  return well_formed ? device.substr(close + 2) : device;
}

void expand_hosts(Node& root, Report& report) {
  Node* found = root.find("hosts");
  if (found == nullptr) return;
  const Node hosts = std::move(*found);
  std::erase_if(root.members, [](const Member& m) { return m.key == "hosts"; });
  Expansion{root, report}.expand(hosts);
}

}  // namespace peerpath::scenario
