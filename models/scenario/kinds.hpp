// The keys of an entry that is of one of several kinds: those of all kinds, and those of the alternatives of a
// std::variant among its fields. Each alternative has a `name` and `fields()`.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "peerpath/base/field.hpp"

namespace peerpath::scenario {

template <class T>
inline constexpr bool is_kinds = false;
template <class... What>
inline constexpr bool is_kinds<std::variant<What...>> = true;

namespace detail {
template <class... What, class Use>
constexpr void each_alternative(std::type_identity<std::variant<What...>>, Use& use) {
  (use(What{}), ...);
}
}  // namespace detail

/// Calls `use` with a default value of each kind in turn.
template <class Kinds, class Use>
constexpr void for_each_alternative(Use use) {
  detail::each_alternative(std::type_identity<Kinds>{}, use);
}

template <class Kinds>
std::vector<std::string> names_of_kinds() {
  std::vector<std::string> names;
  for_each_alternative<Kinds>([&]<class What>(const What&) { names.emplace_back(What::name); });
  return names;
}

/// The names of the fields of a configuration struct.
template <Configurable Config>
inline constexpr auto names_of_keys = std::apply(
    [](const auto&... f) { return std::array<std::string_view, sizeof...(f)>{f.name...}; }, fields_of<Config>);

template <class What>
constexpr bool has_key(std::string_view key) {
  return std::ranges::find(names_of_keys<What>, key) != names_of_keys<What>.end();
}

/// "retrain, port_reset": the kinds that have this key.
template <class Kinds>
std::string kinds_with(std::string_view key) {
  std::string names;
  for_each_alternative<Kinds>([&]<class What>(const What&) {
    if (has_key<What>(key)) names += (names.empty() ? "" : ", ") + std::string{What::name};
  });
  return names;
}

/// "retrain: how long the link is in recovery; port_reset: how long the device is away": what a key means for each of
/// the kinds that have it.
template <class Kinds>
std::string doc_of_key(std::string_view key) {
  std::vector<std::pair<std::string, std::string_view>> docs;
  for_each_alternative<Kinds>([&]<class What>(const What&) {
    const auto take = [&](const auto& f) {
      if (f.name != key) return;
      for (auto& [names, doc] : docs)
        if (doc == f.doc) return void(names += ", " + std::string{What::name});
      docs.emplace_back(What::name, f.doc);
    };
    std::apply([&](const auto&... f) { (take(f), ...); }, fields_of<What>);
  });
  std::string out;
  for (const auto& [names, doc] : docs) out += (out.empty() ? "" : "; ") + names + ": " + std::string{doc};
  return out;
}

/// Each key that any kind has, once.
template <class Kinds>
std::vector<std::string_view> keys_of_kinds() {
  std::vector<std::string_view> keys;
  for_each_alternative<Kinds>([&]<class What>(const What&) {
    for (const auto key : names_of_keys<What>)
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  });
  return keys;
}

/// Calls `use(field, standard)` with each key that any kind has, once, as the first kind has it.
template <class Kinds, class Use>
void for_each_key(Use use) {
  auto left = keys_of_kinds<Kinds>();
  for_each_alternative<Kinds>([&]<class What>(const What& standard) {
    const auto take = [&](const auto& f) {
      if (std::erase(left, f.name) > 0) use(f, standard);
    };
    std::apply([&](const auto&... f) { (take(f), ...); }, fields_of<What>);
  });
}

}  // namespace peerpath::scenario
