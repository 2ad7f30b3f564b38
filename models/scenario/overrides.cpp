#include "scenario/overrides.hpp"

#include <algorithm>
#include <charconv>

#include "scenario/suggest.hpp"

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
    if (labels.back() == part) return &item;
  }
  why = "there is no entry \"" + part + "\"" + did_you_mean(part, labels);
  return nullptr;
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

void drop_nulls(Node& node) {
  std::erase_if(node.members, [](const Member& m) { return m.value.is(Node::Type::null); });
  for (Node& item : node.items) drop_nulls(item);
  for (Member& member : node.members) drop_nulls(member.value);
}

}  // namespace

void apply_overrides(const std::vector<std::string>& overrides, Node& root, Report& report) {
  for (const std::string& text : overrides) apply(text, root, report);
  if (!overrides.empty()) drop_nulls(root);
}

}  // namespace peerpath::scenario
