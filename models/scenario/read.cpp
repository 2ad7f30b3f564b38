#include "scenario/read.hpp"

#include <algorithm>
#include <string_view>

#include "core/pcie/function_address.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/hosts.hpp"
#include "scenario/kinds.hpp"
#include "scenario/missing_key.hpp"
#include "scenario/value.hpp"

namespace peerpath::scenario {
namespace {

template <class Config>
std::vector<std::string> known_keys() {
  std::vector<std::string> keys{names_of_keys<Config>.begin(), names_of_keys<Config>.end()};
  const auto add_own = [&]<class T>(const Field<Config, T>&) {
    if constexpr (is_kinds<T>)
      for (const auto key : keys_of_kinds<T>()) keys.emplace_back(key);
  };
  std::apply([&](const auto&... f) { (add_own(f), ...); }, fields_of<Config>);
  return keys;
}

template <class Owner, class T>
std::vector<std::string> nested_keys(const Field<Owner, T>& field) {
  std::vector<std::string> keys;
  using Group = typename group_of<T>::type;
  if constexpr (Configurable<Group>)
    for (const auto& key : known_keys<Group>()) keys.push_back(std::string{field.name} + "." + key);
  return keys;
}

/// Of one value of type T of the field, which may be optional; those of a list have no range.
template <class T, class Owner, class Member>
Range<T> range_of(const Field<Owner, Member>& field) {
  if constexpr (std::is_same_v<Member, T>)
    return {field.least, field.most};
  else if constexpr (std::is_same_v<Member, std::optional<T>>)
    return {field.least.value_or(std::nullopt), field.most.value_or(std::nullopt)};
  else
    return {};
}

}  // namespace

Origin origin_of(const Node& node, const Sources& sources, const std::filesystem::path& folder) {
  Origin origin;
  if (node.place.file == Place::command_line) {
    origin.kind = Origin::Kind::command_line;
  } else if (node.place.file >= 0) {
    origin.kind = node.place.file == 0 ? Origin::Kind::file : Origin::Kind::preset;
    const std::filesystem::path file = sources.files[static_cast<std::size_t>(node.place.file)];
    const auto relative = folder.empty() ? file : file.lexically_relative(folder.lexically_normal());
    origin.file = (relative.empty() ? file : relative).generic_string();
    origin.line = node.place.line;
    origin.column = node.place.column;
  }
  if (node.note >= 0) origin.source = sources.notes[static_cast<std::size_t>(node.note)];
  return origin;
}

void Reader::note(const Node& node, const std::string& pointer) {
  origins_[pointer] = origin_of(node, sources_, folder_);
}

template <class T>
void Reader::note_default(const std::string& pointer, const T& value, std::string_view source) {
  if constexpr (Configurable<T>) {
    std::apply([&](const auto&... f) { (note_default(join(pointer, f.name), value.*f.member, f.source), ...); },
               fields_of<T>);
  } else if constexpr (is_optional<T>) {
    if (value) note_default(pointer, *value, source);
  } else if constexpr (is_vector<T>) {
    for (std::size_t i = 0; i < value.size(); ++i) note_default(join(pointer, i), value[i], source);
  } else {
    Origin origin;
    origin.source = source;
    origins_[pointer] = std::move(origin);
  }
}

void Reader::unknown_key(const Member& member, const std::string& pointer, const std::vector<std::string>& known,
                         const std::vector<std::string>& nested) {
  const std::string at = join(pointer, member.key);
  for (const std::string& path : nested)
    if (const auto dot = path.find('.'); path.substr(dot + 1) == member.key)
      return report_.add(member.place, at,
                         std::string{says_unknown_key} + " here; it belongs inside \"" + path.substr(0, dot) +
                             "\": { \"" + member.key + "\": ... }");
  const auto meant = did_you_mean(member.key, known);
  report_.add(member.place, at,
              std::string{says_unknown_key} + (meant.empty() ? "; known are " + listed(known) : meant));
}

template <class T>
bool Reader::read_value(const Node& node, const std::string& pointer, T& out, const Range<T>& range) {
  const auto value = scalar<T>(node);
  if (!value) {
    report_.add(node.place, pointer, value.error());
    return false;
  }
  if (const auto why = out_of_range(*value, range)) {
    report_.add(node.place, pointer, *why);
    return false;
  }
  out = *value;
  note(node, pointer);
  return true;
}

template <class Field, class Config>
void Reader::read_field(const Node& node, const std::string& pointer, const Field& field, Config& out) {
  auto& target = out.*field.member;
  using T = std::remove_cvref_t<decltype(target)>;
  const std::string at = join(pointer, field.name);
  const Node* found = node.find(field.name);
  if constexpr (is_kinds<T>) {
    read_kind(found, at, target);
    std::visit(
        [&]<class What>(What& what) {
          std::apply([&](const auto&... f) { (read_field(node, pointer, f, what), ...); }, fields_of<What>);
          refuse_keys_of_others<T>(node, pointer,
                                   {Config::called, What::name, names_of_keys<Config>, names_of_keys<What>});
        },
        target);
  } else if (found == nullptr) {
    note_default(at, target, field.source);
  } else if constexpr (Configurable<T>) {
    if (object_at(found, at, Node::Type::object, "an object")) read_object(*found, at, target, {});
  } else if constexpr (is_optional<T> && Configurable<typename group_of<T>::type>) {
    if (object_at(found, at, Node::Type::object, "an object")) read_object(*found, at, target.emplace(), {});
  } else if constexpr (is_optional<T>) {
    typename T::value_type value{};
    if (read_value(*found, at, value, range_of<typename T::value_type>(field))) target = value;
  } else if constexpr (is_vector<T>) {
    T values;
    if (found->is(Node::Type::array)) {
      for (std::size_t i = 0; i < found->items.size(); ++i) {
        typename T::value_type value{};
        if (read_value(found->items[i], join(at, i), value, {})) values.push_back(value);
      }
      if (found->items.empty()) report_.add(found->place, at, "is an empty list");
    } else {  // one value may stand without a list around it
      typename T::value_type value{};
      if (read_value(*found, at, value, {})) {
        origins_[join(at, 0)] = origins_[at];
        origins_.erase(at);
        values.push_back(value);
      }
    }
    if (!values.empty()) target = std::move(values);
  } else if (!read_value(*found, at, target, range_of<T>(field))) {
    report_.give_up(at);
  }
}

/// Which of the kinds it is; the first if the file does not say.
template <class Kinds>
void Reader::read_kind(const Node* node, const std::string& pointer, Kinds& out) {
  if (node == nullptr) return void(origins_[pointer] = Origin{});
  bool known = false;
  for_each_alternative<Kinds>([&](const auto& what) {
    if (!node->is(Node::Type::string) || node->text != what.name) return;
    known = true;
    out = what;
  });
  if (known) return note(*node, pointer);
  const auto names = names_of_kinds<Kinds>();
  const auto meant = node->is(Node::Type::string) ? did_you_mean(node->text, names) : "";
  report_.add(node->place, pointer, shown(*node) + " is not one of " + listed(names) + meant);
  report_.give_up(pointer);
}

/// A key of other kinds that says something shows a misunderstanding.
template <class Kinds>
void Reader::refuse_keys_of_others(const Node& node, const std::string& pointer, const KindOfEntry& entry) {
  for_each_key<Kinds>([&](const auto& f, auto other) {
    const Node* found = node.find(f.name);
    if (found == nullptr || std::ranges::find(entry.own_keys, f.name) != entry.own_keys.end()) return;
    const auto standard = other.*f.member;
    read_field(node, pointer, f, other);
    if (other.*f.member != standard) refuse(*found, join(pointer, f.name), entry, kinds_with<Kinds>(f.name));
  });
}

void Reader::refuse(const Node& node, const std::string& pointer, const KindOfEntry& entry, const std::string& kinds) {
  std::string uses;
  for (const auto keys : {entry.keys, entry.own_keys})
    for (const auto key : keys) uses += (uses.empty() ? "" : " ") + std::string{key};
  report_.add(node.place, pointer,
              std::string{says_key_of_another_kind} + std::string{entry.called} + " of kind \"" +
                  std::string{entry.kind} + "\", whose keys are " + uses + "; it belongs to " + kinds);
}

template <class Config>
void Reader::read_object(const Node& node, const std::string& pointer, Config& out, std::vector<std::string> also) {
  auto known = known_keys<Config>();
  known.insert(known.end(), also.begin(), also.end());
  std::vector<std::string> nested;
  std::apply(
      [&](const auto&... f) {
        (read_field(node, pointer, f, out), ...);
        (
            [&] {
              for (auto& key : nested_keys(f)) nested.push_back(std::move(key));
            }(),
            ...);
      },
      fields_of<Config>);
  for (const Member& member : node.members)
    if (std::ranges::find(known, member.key) == known.end()) unknown_key(member, pointer, known, nested);
}

bool Reader::object_at(const Node* node, const std::string& pointer, Node::Type type, std::string_view what) {
  if (node == nullptr) return false;
  if (node->is(type)) return true;
  report_.add(node->place, pointer, shown(*node) + " is not " + std::string{what});
  report_.give_up(pointer);
  return false;
}

template <class T>
void Reader::read_list(const Node* node, const std::string& pointer, std::vector<T>& out) {
  if (!object_at(node, pointer, Node::Type::array, "a list")) return;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    out.emplace_back();
    const std::string at = join(pointer, i);
    if (object_at(&node->items[i], at, Node::Type::object, "an object"))
      read_object(node->items[i], at, out.back(), {});
  }
}

/// What a key that the sender gives would be by default is no value of this entry.
void Reader::forget_keys_of_sender(const std::string& pointer, const Traffic& entry) {
  const auto inside = pointer + "/";
  for (auto at = origins_.lower_bound(inside); at != origins_.end() && at->first.starts_with(inside);) {
    const auto rest = std::string_view{at->first}.substr(inside.size());
    const bool given = entry.is_of_sender(rest.substr(0, rest.find('/')));
    at = given && at->second.kind == Origin::Kind::built_in ? origins_.erase(at) : std::next(at);
  }
}

/// Refuses events without a kind: the first kind must not become a silent default.
void Reader::need_kinds(const Node* events) {
  if (events == nullptr || !events->is(Node::Type::array)) return;
  for (std::size_t i = 0; i < events->items.size(); ++i) {
    const Node& event = events->items[i];
    if (event.is(Node::Type::object) && event.find("kind") == nullptr)
      report_.add(event.place, join(join("/events", i), "kind"),
                  "is missing; one of " + listed(names_of_kinds<decltype(Event::what)>()));
  }
}

/// It maps a name back to the machine that a preset was made from, and changes nothing.
void Reader::check_address(const Node* node, const std::string& pointer) {
  if (node == nullptr || (node->is(Node::Type::string) && pcie::is_function_address(node->text))) return;
  report_.add(node->place, pointer, shown(*node) + " is not a PCI address such as \"0000:3b:00.0\"");
}

void Reader::read_device(const Member& member, Scenario& out) {
  const std::string at = join("/devices", member.key);
  if (!is_name(own_name(member.key)))
    report_.add(member.place, at, "is not a valid device name; use letters, digits, _ and -");
  if (!object_at(&member.value, at, Node::Type::object, "an object")) return;
  std::vector<std::string> names;
  for_each_kind([&](const auto& kind) { names.emplace_back(kind.name); });
  const Node* kind_node = member.value.find("kind");
  if (kind_node == nullptr) {
    if (!report_.has_given_up(at)) report_.add(member.place, at, "has no \"kind\"; one of " + listed(names));
    return;
  }
  if (!kind_node->is(Node::Type::string))
    return report_.add(kind_node->place, join(at, "kind"), shown(*kind_node) + " is not one of " + listed(names));
  bool found = false;
  for_each_kind([&]<class Config>(const Kind<Config>& kind) {
    if (kind_node->text != kind.name) return;
    found = true;
    Config config{};
    read_object(member.value, at, config, {"kind", "address"});
    note(*kind_node, join(at, "kind"));
    out.devices.push_back({member.key, std::move(config)});
    check_address(member.value.find("address"), join(at, "address"));
  });
  if (!found)
    report_.add(kind_node->place, join(at, "kind"),
                shown(*kind_node) + " is not one of " + listed(names) + did_you_mean(kind_node->text, names));
}

void Reader::read_devices(const Node* node, Scenario& out) {
  if (!object_at(node, "/devices", Node::Type::object, "an object of devices by name")) return;
  if (node->members.size() > static_cast<std::size_t>(max_devices))
    return report_.add(node->place, "/devices", "more than " + std::to_string(max_devices) + " devices");
  for (const Member& member : node->members) read_device(member, out);
}

void Reader::read_text(const Node& root, std::string_view key, std::string& out) {
  const Node* node = root.find(key);
  if (node == nullptr) return;
  if (object_at(node, join("", key), Node::Type::string, "a text")) out = node->text;
}

void Reader::read(const Node& root, Scenario& out) {
  const std::vector<std::string> known{"$schema", "description",  "source", "extends",     "hosts",   "devices",
                                       "links",   "inter_socket", "cables", "arbitration", "traffic", "events",
                                       "run",     "emulator",     "sweep",  "expect"};
  if (const Node* kind = root.find("kind"); kind != nullptr && root.find("devices") == nullptr) {
    report_.add(kind->place, "/kind",
                "this is a preset of one device, not a scenario; name it in \"extends\" of a device");
    return report_.give_up("");
  }
  if (const Node* network = root.find("network")) {
    report_.add(network->place, "/network",
                "this is a scenario of an Ethernet network, which has no PCIe of its own: run, check, test, sweep, "
                "show, list and "
                "explain take it, and nothing else does");
    return report_.give_up("");
  }
  for (const Member& member : root.members)
    if (std::ranges::find(known, member.key) == known.end()) unknown_key(member, "", known, {});
  std::string schema;
  read_text(root, "$schema", schema);
  read_text(root, "description", out.description);
  read_text(root, "source", out.source);
  read_devices(root.find("devices"), out);
  read_list(root.find("links"), "/links", out.links);
  read_list(root.find("inter_socket"), "/inter_socket", out.inter_socket);
  read_list(root.find("cables"), "/cables", out.cables);
  read_list(root.find("arbitration"), "/arbitration", out.arbitration);
  read_list(root.find("traffic"), "/traffic", out.traffic);
  for (std::size_t i = 0; i < out.traffic.size(); ++i) forget_keys_of_sender(join("/traffic", i), out.traffic[i]);
  read_list(root.find("events"), "/events", out.events);
  need_kinds(root.find("events"));
  read_list(root.find("expect"), "/expect", out.expect);
  Node none;
  none.type = Node::Type::object;
  const auto section = [&](const std::string& name, auto& config) {
    const Node* node = root.find(name);
    if (node == nullptr || object_at(node, join("", name), Node::Type::object, "an object"))
      read_object(node ? *node : none, join("", name), config, {});
  };
  section("run", out.run);
  section("emulator", out.emulator);
  section("sweep", out.sweep);
}

}  // namespace peerpath::scenario
