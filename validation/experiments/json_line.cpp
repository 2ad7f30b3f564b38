#include "validation/experiments/json_line.hpp"

#include <array>
#include <charconv>

namespace peerpath::experiments {
namespace {

template <class Number>
std::string digits(Number value) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

std::string json_string(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string quoted;
  quoted += '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20) {
      quoted += "\\u00";
      quoted += hex[code / 16];
      quoted += hex[code % 16];
    } else {
      quoted += c;
    }
  }
  quoted += '"';
  return quoted;
}

std::string json_array(std::span<const std::string> items) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ",";
    text += item;
  }
  text += "]";
  return text;
}

JsonLine& JsonLine::add_raw(std::string_view key, std::string_view value) {
  if (text_.size() > 1) text_ += ",";
  text_ += json_string(key);
  text_ += ":";
  text_ += value;
  return *this;
}

JsonLine& JsonLine::add(std::string_view key, std::string_view value) { return add_raw(key, json_string(value)); }
JsonLine& JsonLine::add(std::string_view key, std::int64_t value) { return add_raw(key, digits(value)); }
JsonLine& JsonLine::add(std::string_view key, double value) { return add_raw(key, digits(value)); }

}  // namespace peerpath::experiments
