// How one value of each type that a `Field` may have is read from a node, and written.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "peerpath/base/address.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/document.hpp"
#include "scenario/quantity.hpp"
#include "scenario/suggest.hpp"

namespace peerpath::scenario {

template <class T>
concept Dimensioned = std::is_same_v<T, Bytes> || std::is_same_v<T, BitRate> || std::is_same_v<T, Duration>;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_list_of_structs = false;
template <Configurable T>
inline constexpr bool is_list_of_structs<std::vector<T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// The type itself, or the value type of a std::optional: a group of options that may be absent.
template <class T>
struct group_of {
  using type = T;
};
template <class T>
struct group_of<std::optional<T>> {
  using type = T;
};

/// The value as JSON, quantities in canonical spelling. Not for lists, optionals and config structs.
template <class T>
nlohmann::ordered_json to_json_value(const T& value) {
  if constexpr (Dimensioned<T> || std::is_same_v<T, BusAddress>)
    return to_text(value);
  else if constexpr (NamedEnum<T>)
    return std::string{name_of(value)};
  else
    return value;
}

/// The same as it stands in a sentence: 8, 4KiB, true.
template <class T>
std::string in_words(const T& value) {
  const auto json = to_json_value(value);
  return json.is_string() ? json.template get<std::string>() : json.dump();
}

template <NamedEnum E>
std::vector<std::string> choices_of() {
  std::vector<std::string> names;
  for (const auto& entry : enum_names(E{})) names.emplace_back(entry.name);
  return names;
}

inline std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

/// The value of `node`, or a sentence that says why it has none.
template <class T>
tl::expected<T, std::string> scalar(const Node& node) {
  using Type = Node::Type;
  const auto no = [&](std::string why) { return tl::unexpected{shown(node) + " " + std::move(why)}; };
  if constexpr (std::is_same_v<T, bool>) {
    if (node.is(Type::boolean)) return node.boolean;
    if (node.text == "true" || node.text == "false") return no("is text; write " + node.text + " without quotes");
    return no("is neither true nor false");
  } else if constexpr (std::is_integral_v<T>) {
    if (node.is(Type::integer)) {
      if (node.integer >= std::numeric_limits<T>::min() && node.integer <= std::numeric_limits<T>::max())
        return static_cast<T>(node.integer);
      return no("is out of range");
    }
    if (node.is(Type::string) && !node.text.empty() && node.text.find_first_not_of("0123456789") == std::string::npos)
      return no("is text; write " + node.text + " without quotes");
    return no("is not a whole number");
  } else if constexpr (std::is_floating_point_v<T>) {
    if (node.is(Type::integer) || node.is(Type::real)) return node.real;
    return no("is not a number");
  } else if constexpr (Dimensioned<T>) {
    const Dimension d = dimension_of<T>();
    if (node.is(Type::integer) || node.is(Type::real))
      return no(
          "has no unit; a " + std::string{d.what} + " is a text such as \"" +
          (node.is(Type::integer) && node.integer >= 0 ? node.text + std::string{d.plain} : std::string{d.example}) +
          "\"");
    if (!node.is(Type::string))
      return no("is not a " + std::string{d.what} + "; write e.g. \"" + std::string{d.example} + "\"");
    auto value = parse_quantity<T>(node.text);
    if (!value) return no(value.error());
    return *value;
  } else if constexpr (std::is_same_v<T, BusAddress>) {
    if (!node.is(Type::string)) return no("is not an address; write e.g. \"0x4000000000\"");
    auto value = parse_quantity<T>(node.text);
    if (!value) return no(value.error());
    return *value;
  } else if constexpr (NamedEnum<T>) {
    const auto choices = choices_of<T>();
    if (node.is(Type::string)) {
      for (const auto& entry : enum_names(T{}))
        if (entry.name == node.text) return entry.value;
      return no("is not one of " + listed(choices) + did_you_mean(node.text, choices));
    }
    return no("is not one of " + listed(choices));
  } else {
    static_assert(std::is_same_v<T, std::string>);
    if (node.is(Type::string)) return node.text;
    return no("is not a text");
  }
}

/// Of the values that a field may have.
template <class T>
struct Range {
  std::optional<T> least{}, most{};
};

/// A sentence if `value` is outside the range; without bounds of its own a size and a rate are above 0, and a rate is
/// one that hardware can have.
template <class T>
std::optional<std::string> out_of_range(const T& value, const Range<T>& range) {
  if constexpr (std::is_same_v<T, BitRate>) {
    if (range.most && value > *range.most)
      return in_words(value) + " is above the maximum, " + in_words(*range.most) + in_smaller_unit(value, *range.most);
    if (!range.most && value >= beyond_any_hardware)
      return in_words(value) + " is faster than any link or memory; it must be below " + in_words(beyond_any_hardware) +
             in_smaller_unit(value, beyond_any_hardware);
  }
  if constexpr (std::is_arithmetic_v<T> || Dimensioned<T>) {
    if (range.least && value < *range.least)
      return in_words(value) + " is below the minimum, " + in_words(*range.least);
    if (range.most && value > *range.most) return in_words(value) + " is above the maximum, " + in_words(*range.most);
    if constexpr (std::is_same_v<T, Bytes> || std::is_same_v<T, BitRate>)
      if (!range.least && value == T{}) return in_words(value) + " is too little; it must be above 0";
  }
  return std::nullopt;
}

}  // namespace peerpath::scenario
