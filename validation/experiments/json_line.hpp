// One line of JSON, written by hand: the measuring program must build on a machine that has a compiler and no packages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace peerpath::experiments {

/// An object under construction: `JsonLine{}.add("bytes", 64).text()` is {"bytes":64}.
class JsonLine {
 public:
  JsonLine& add(std::string_view key, std::string_view value);
  JsonLine& add(std::string_view key, const char* value) { return add(key, std::string_view{value}); }
  JsonLine& add(std::string_view key, std::int64_t value);
  JsonLine& add(std::string_view key, int value) { return add(key, std::int64_t{value}); }
  JsonLine& add(std::string_view key, double value);  ///< as many digits as it takes to read it back
  JsonLine& add(std::string_view key, bool value) { return add_raw(key, value ? "true" : "false"); }
  /// `value` is JSON itself.
  JsonLine& add_raw(std::string_view key, std::string_view value);
  std::string text() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

/// [a,b,c] of what is JSON itself.
std::string json_array(std::span<const std::string> items);
std::string json_string(std::string_view text);

}  // namespace peerpath::experiments
