#include "scenario/overrides.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "peerpath/base/glob.hpp"
#include "scenario/suggest.hpp"
#include "scenario/tree.hpp"

namespace peerpath::scenario {
namespace {

constexpr Place command_line{Place::command_line, 0, 0};

void stamp(Node& node) {
  node.place = command_line;
  for (Node& item : node.items) stamp(item);
  for (Member& member : node.members) {
    member.place = command_line;
    stamp(member.value);
  }
}

Node value_of(std::string_view text) {
  Sources ignored;
  Report report{ignored};
  Node node;
  if (!parse(text, Place::nowhere, node, report) || !report.problems().empty()) {
    node = Node{};
    node.type = Node::Type::string;
    node.text = text;
  }
  stamp(node);
  return node;
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= path.size();) {
    const auto dot = std::min(path.find('.', start), path.size());
    if (!parts.empty() && parts.back().ends_with(']'))  // the host before a device's name
      parts.back() += "." + std::string{path.substr(start, dot - start)};
    else
      parts.emplace_back(path.substr(start, dot - start));
    start = dot + 1;
  }
  return parts;
}

std::string label_of(const Node& item) {
  for (const std::string_view key : {"name", "to"})
    if (const Node* label = item.find(key); label != nullptr && label->is(Node::Type::string)) return label->text;
  return {};
}

/// Whether `part` names this entry of a list: by its label, or a link by its name in results, which is its lower end
/// and its upper end ("nic0-sw0") in either order.
bool is_called(const Node& item, const std::string& part) {
  if (label_of(item) == part) return true;
  const Node *from = item.find("from"), *to = item.find("to");
  if (from == nullptr || to == nullptr || item.find("name") != nullptr) return false;
  const auto lower = split_end(to->text).device, upper = split_end(from->text).device;
  return part == lower + "-" + upper || part == upper + "-" + lower;
}

// The entry of a list that `part` names; nullptr and a sentence if there is none.
Node* entry(Node& list, const std::string& part, std::string& why) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error == std::errc{} && end == part.data() + part.size()) {
    if (index < list.items.size()) return &list.items[index];
    why = "there are " + std::to_string(list.items.size()) + " entries, counted from 0";
    return nullptr;
  }
  std::vector<std::string> labels;
  for (Node& item : list.items) {
    labels.push_back(label_of(item));
    if (is_called(item, part)) return &item;
  }
  if (has_wildcard(part)) {
    why = "takes no wildcards; name one entry, or use sweep --vary";
    return nullptr;
  }
  why = "there is no entry \"" + part + "\"" + did_you_mean(part, labels);
  return nullptr;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ".") + part;
  return text;
}

/// Fills in what a sweep's key may leave out: `devices`, and the group that MPS and MRRS stand in.
std::vector<std::string> whole(std::vector<std::string> parts, const Node& root) {
  const Node* devices = root.find("devices");
  if (devices == nullptr || root.find(parts[0]) != nullptr) return parts;
  const bool names_device =
      std::ranges::any_of(devices->members, [&](const Member& member) { return fits_pattern(parts[0], member.key); });
  if (!names_device) return parts;
  parts.insert(parts.begin(), "devices");
  constexpr std::array<std::pair<std::string_view, const char*>, 2> registers{
      {{"mps", "max_payload"}, {"mrrs", "max_read_request"}}};
  for (const auto& [shorter, longer] : registers)
    if (parts.size() == 3 && parts[2] == shorter) parts = {parts[0], parts[1], "function", longer};
  return parts;
}

/// Adds the keys below `at` that `parts` from `depth` on stand for.
void match(const std::vector<std::string>& parts, std::size_t depth, const Node* at, std::vector<std::string>& taken,
           std::vector<std::string>& keys) {
  if (depth == parts.size()) return keys.push_back(joined(taken));
  const std::string& part = parts[depth];
  const auto go_on = [&](const std::string& name, const Node* next) {
    taken.push_back(name);
    match(parts, depth + 1, next, taken, keys);
    taken.pop_back();
  };
  if (!has_wildcard(part)) {
    const Node* next = at == nullptr ? nullptr : at->find(part);
    if (at != nullptr && at->is(Node::Type::array))
      for (std::size_t n = 0; n < at->items.size(); ++n)
        if (is_called(at->items[n], part) || std::to_string(n) == part) next = &at->items[n];
    return go_on(part, next);
  }
  if (at == nullptr) return;
  for (const Member& member : at->members)
    if (fits_pattern(part, member.key)) go_on(member.key, &member.value);
  for (std::size_t n = 0; n < at->items.size(); ++n)
    if (fits_pattern(part, std::to_string(n)) || fits_pattern(part, label_of(at->items[n])))
      go_on(std::to_string(n), &at->items[n]);
}

void apply(std::string_view text, Node& root, Report& report) {
  const auto equals = text.find('=');
  const std::string path{text.substr(0, equals)};
  const auto refuse = [&](std::string why) { report.add(command_line, std::string{path}, std::move(why)); };
  if (equals == text.npos || equals == 0) return refuse("is not key=value, such as devices.nic0.queues=8");
  const auto parts = parts_of(path);
  if (printable(text) != text) return refuse("is not UTF-8 text");
  Node* at = &root;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (part.empty()) return refuse("has an empty part between dots");
    if (at->is(Node::Type::array)) {
      std::string why;
      at = entry(*at, part, why);
      if (at == nullptr) return refuse(why);
      continue;
    }
    if (at->is(Node::Type::null)) at->type = Node::Type::object;
    if (!at->is(Node::Type::object)) return refuse("\"" + parts[i - 1] + "\" is " + shown(*at) + " and has no parts");
    Node* next = at->find(part);
    if (next == nullptr && i == 1 && parts[0] == "devices") {
      std::vector<std::string> names;
      for (const Member& member : at->members) names.push_back(member.key);
      if (has_wildcard(part)) return refuse("takes no wildcards; name one device, or use sweep --vary");
      return refuse("there is no device \"" + part + "\"" + did_you_mean(part, names));
    }
    if (next == nullptr) {
      at->members.push_back({part, command_line, Node{}});
      next = &at->members.back().value;
      next->place = command_line;
    }
    at = next;
  }
  *at = value_of(text.substr(equals + 1));
}

/// Entries of lists go when all overrides are done, so that places count as in the file.
void drop_nulls(Node& node) {
  const auto removed = [](const Node& item) {
    return item.is(Node::Type::null) && item.place.file == Place::command_line;
  };
  std::erase_if(node.items, removed);
  std::erase_if(node.members, [](const Member& m) { return m.value.is(Node::Type::null); });
  for (Node& item : node.items) drop_nulls(item);
  for (Member& member : node.members) drop_nulls(member.value);
}

}  // namespace

void apply_overrides(const std::vector<std::string>& overrides, Node& root, Report& report) {
  for (const std::string& text : overrides) apply(text, root, report);
  if (!overrides.empty()) drop_nulls(root);
}

tl::expected<std::vector<std::string>, std::string> matching_keys(const std::string& pattern, const Node& root) {
  const auto parts = whole(parts_of(pattern), root);
  std::vector<std::string> keys, taken;
  match(parts, 0, &root, taken, keys);
  if (keys.empty()) return tl::unexpected{"\"" + pattern + "\" matches nothing in the scenario"};
  return keys;
}

}  // namespace peerpath::scenario
