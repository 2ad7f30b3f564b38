// Structs with `fields()` as JSON.
#pragma once

#include <string>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "scenario/kinds.hpp"
#include "scenario/value.hpp"

namespace peerpath::scenario {

/// Whether the list is written: it has entries, or usually has some, so that its absence would mean those.
template <class T, class Field>
bool is_written(const T& value, const Field& f) {
  if constexpr (std::is_default_constructible_v<T>)
    return !(value.*f.member).empty() || !(T{}.*f.member).empty();
  else
    return !(value.*f.member).empty();
}

/// The value with all that it holds, quantities in canonical spelling; what is absent is left out, most lists without
/// entries among it.
template <class T>
nlohmann::ordered_json written_value(const T& value) {
  if constexpr (Configurable<T>) {
    nlohmann::ordered_json out = nlohmann::ordered_json::object(), own = nlohmann::ordered_json::object();
    std::apply(
        [&](const auto&... f) {
          (
              [&] {
                if constexpr (requires { value.is_of_sender(f.name); })
                  if (value.is_of_sender(f.name)) return;
                const auto& member = value.*f.member;
                using Value = std::remove_cvref_t<decltype(member)>;
                if constexpr (is_kinds<Value>) {
                  out[std::string{f.name}] = std::visit([](const auto& what) { return what.name; }, member);
                  own = std::visit([](const auto& what) { return written_value(what); }, member);
                } else if constexpr (is_optional<Value>) {
                  if (member) out[std::string{f.name}] = written_value(*member);
                } else if constexpr (is_vector<Value>) {
                  if (is_written(value, f)) out[std::string{f.name}] = written_value(member);
                } else {
                  out[std::string{f.name}] = written_value(member);
                }
              }(),
              ...);
        },
        fields_of<T>);
    out.update(own);
    return out;
  } else if constexpr (is_vector<T>) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const auto& item : value) out.push_back(written_value(item));
    return out;
  } else {
    return to_json_value(value);
  }
}

}  // namespace peerpath::scenario
