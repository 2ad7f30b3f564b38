#include "scenario/document.hpp"

#include <algorithm>
#include <charconv>

namespace peerpath::scenario {

const Node* Node::find(std::string_view key) const {
  const auto it = std::ranges::find(members, key, &Member::key);
  return it == members.end() ? nullptr : &it->value;
}

Node* Node::find(std::string_view key) {
  const auto it = std::ranges::find(members, key, &Member::key);
  return it == members.end() ? nullptr : &it->value;
}

std::size_t count(const Node& node) {
  std::size_t n = 1;
  for (const Node& item : node.items) n += count(item);
  for (const Member& member : node.members) n += count(member.value);
  return n;
}

std::string shown(const Node& node) {
  constexpr std::size_t longest = 60;
  switch (node.type) {
    case Node::Type::null:
      return "null";
    case Node::Type::boolean:
      return node.boolean ? "true" : "false";
    case Node::Type::array:
      return "a list";
    case Node::Type::object:
      return "an object";
    case Node::Type::integer:
    case Node::Type::real:
      return node.text.size() <= longest ? node.text : node.text.substr(0, longest) + "...";
    case Node::Type::string:
      break;
  }
  std::string out = "\"";
  for (const char c : node.text) {
    if (out.size() > longest && (static_cast<unsigned char>(c) & 0xc0) != 0x80) return out + "...\"";
    const bool control = static_cast<unsigned char>(c) < 0x20;
    out += control ? ' ' : c;
  }
  return out + "\"";
}

std::string join(std::string_view pointer, std::string_view key) {
  std::string out{pointer};
  out += '/';
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::string join(std::string_view pointer, std::size_t index) {
  return std::string{pointer} + "/" + std::to_string(index);
}

Place locate(const Node& root, std::string_view pointer) {
  const Node* at = &root;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const auto end = std::min(pointer.find('/'), pointer.size());
    std::string key;
    for (std::size_t i = 0; i < end; ++i) {
      const bool escape = pointer[i] == '~' && i + 1 < end;
      key += escape ? (pointer[++i] == '1' ? '/' : '~') : pointer[i];
    }
    pointer.remove_prefix(end);
    const Node* next = at->find(key);
    if (std::size_t index = 0; at->is(Node::Type::array) &&
                               std::from_chars(key.data(), key.data() + key.size(), index).ec == std::errc{} &&
                               index < at->items.size())
      next = &at->items[index];
    if (next == nullptr) break;
    at = next;
  }
  return at->place;
}

bool Report::has_given_up(std::string_view pointer) const {
  return std::ranges::any_of(given_up_, [&](const std::string& above) {
    return pointer.starts_with(above) && (pointer.size() == above.size() || pointer[above.size()] == '/');
  });
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U; };
    const std::size_t size = byte(0) < 0x80   ? 1
                             : byte(0) < 0xc2 ? 0
                             : byte(0) < 0xe0 ? 2
                             : byte(0) < 0xf0 ? 3
                             : byte(0) < 0xf5 ? 4
                                              : 0;
    bool good = size > 0;
    for (std::size_t k = 1; k < size; ++k) good = good && (byte(k) & 0xc0) == 0x80;
    // Overlong forms, surrogates, and code points above U+10FFFF (RFC 3629, section 4).
    if (size == 3) good = good && !(byte(0) == 0xe0 && byte(1) < 0xa0) && !(byte(0) == 0xed && byte(1) > 0x9f);
    if (size == 4) good = good && !(byte(0) == 0xf0 && byte(1) < 0x90) && !(byte(0) == 0xf4 && byte(1) > 0x8f);
    out += good ? text.substr(i, size) : std::string_view{"?"};
    i += good ? size : 1;
  }
  return out;
}

void Report::add(Place place, std::string key, std::string message) {
  if (problems_.size() > most) return;
  if (problems_.size() == most) {
    problems_.push_back({problems_.front().file, 0, 0, "", "more problems than these; the rest is left out"});
    return;
  }
  const bool in_file = place.file >= 0;
  if (place.file == Place::command_line) {  // spelt as the option is: devices.nic0.queues
    if (key.starts_with('/')) key.erase(0, 1);
    std::ranges::replace(key, '/', '.');
    key.insert(0, "--set ");
  }
  message = printable(message);
  key = printable(key);
  problems_.push_back({in_file ? sources_.files[static_cast<std::size_t>(place.file)] : std::string{},
                       in_file ? place.line : 0, in_file ? place.column : 0, std::move(key), std::move(message)});
}

}  // namespace peerpath::scenario
