// One declaration per option: from a type's `fields()` come the JSON reader, range checks, schema, help text and docs.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

namespace peerpath {

/// One option of a configuration struct. A config type lists its options in
/// `static constexpr auto fields() { return std::tuple{field("wire_rate", &NicConfig::wire_rate, "..."), ...}; }`
/// and gives their defaults as member initialisers. Member types: bool, int, double, Bytes, BitRate, Duration,
/// BusAddress, std::string, an enum with `enum_names`, another config struct, or std::vector / std::optional of these.
template <class Owner, class T>
struct Field {
  std::string_view name;
  T Owner::*member;
  std::string_view doc;
  std::optional<T> least{};
  std::optional<T> most{};
  std::string_view source{};  ///< where the default comes from: a data sheet, "fitted: ...", "assumed"

  constexpr Field at_least(T value) const {
    auto f = *this;
    f.least = value;
    return f;
  }
  constexpr Field at_most(T value) const {
    auto f = *this;
    f.most = value;
    return f;
  }
  constexpr Field from(std::string_view where) const {
    auto f = *this;
    f.source = where;
    return f;
  }
};

template <class Owner, class T>
constexpr Field<Owner, T> field(std::string_view name, T Owner::*member, std::string_view doc) {
  return {name, member, doc};
}

/// A configuration struct: something with a `fields()` list.
template <class T>
concept Configurable = requires {
  T::fields();
};

/// That list as data: code that takes `T::fields()` apart would build the whole list each time.
template <Configurable T>
inline constexpr auto fields_of = T::fields();

/// The spelling of one enumerator. An enum that may stand in a scenario has, beside it,
/// `constexpr std::array<EnumName<E>, N> enum_names(E)`, found by argument-dependent lookup.
template <class E>
struct EnumName {
  std::string_view name;
  E value;
};

template <class E>
concept NamedEnum = requires(E e) {
  enum_names(e);
};

/// The spelling of `value`, or "" for one that has none.
template <NamedEnum E>
constexpr std::string_view name_of(E value) {
  for (const auto& entry : enum_names(E{}))
    if (entry.value == value) return entry.name;
  return {};
}

}  // namespace peerpath
