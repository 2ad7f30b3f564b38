// The options of a struct with `fields()` as `peerpath explain` shows them.
#pragma once

#include <string>
#include <vector>

#include "peerpath/scenario/describe.hpp"
#include "scenario/kinds.hpp"
#include "scenario/value.hpp"

namespace peerpath::scenario {

template <class T>
std::string type_name() {
  if constexpr (is_optional<T>)
    return type_name<typename T::value_type>();
  else if constexpr (is_vector<T>)
    return type_name<typename T::value_type>() + ", or a list of them";
  else if constexpr (std::is_same_v<T, bool>)
    return "true or false";
  else if constexpr (std::is_integral_v<T>)
    return "whole number";
  else if constexpr (std::is_floating_point_v<T>)
    return "number";
  else if constexpr (Dimensioned<T>)
    return std::string{dimension_of<T>().what} + " such as " + std::string{dimension_of<T>().example};
  else if constexpr (std::is_same_v<T, BusAddress>)
    return "address such as 0x4000000000";
  else if constexpr (NamedEnum<T>)
    return "one of " + listed(choices_of<T>());
  else if constexpr (is_kinds<T>)
    return "one of " + listed(names_of_kinds<T>());
  else
    return "text";
}

template <class T>
std::string spelt(const T& value) {
  if constexpr (is_optional<T>) {
    return value ? spelt(*value) : std::string{};
  } else if constexpr (is_vector<T>) {
    std::string out;
    for (const auto& item : value) out += (out.empty() ? "" : ", ") + spelt(item);
    return out;
  } else if constexpr (is_kinds<T>) {
    return names_of_kinds<T>()[value.index()];
  } else {
    return in_words(value);
  }
}

template <class Config>
void collect(const Config& config, const std::string& prefix, std::vector<OptionInfo>& out) {
  const auto add = [&]<class Owner, class T>(const Field<Owner, T>& field, const std::type_identity_t<Owner>& config,
                                             std::string doc) {
    using Group = typename group_of<T>::type;
    if constexpr (Configurable<T>) {
      collect(config.*field.member, prefix + std::string{field.name} + ".", out);
    } else if constexpr (Configurable<Group>) {  // the defaults of its members apply once the group is given
      collect(Group{}, prefix + std::string{field.name} + ".", out);
    } else if constexpr (is_list_of_structs<T>) {
      collect(typename T::value_type{}, prefix + std::string{field.name} + ".", out);
    } else {
      OptionInfo info{
          prefix + std::string{field.name}, type_name<T>(), spelt(config.*field.member), {}, {}, {}, std::move(doc),
          std::string{field.source}};
      if constexpr (std::is_arithmetic_v<T> || Dimensioned<T>) {
        if (field.least) info.least = spelt(*field.least);
        if (field.most) info.most = spelt(*field.most);
      }
      if constexpr (NamedEnum<T>) info.choices = choices_of<T>();
      if constexpr (is_kinds<T>) info.choices = names_of_kinds<T>();
      out.push_back(std::move(info));
    }
  };
  const auto add_own = [&]<class T>(const Field<Config, T>&) {
    if constexpr (is_kinds<T>)
      for_each_key<T>([&](const auto& f, const auto& standard) { add(f, standard, doc_of_key<T>(f.name)); });
  };
  std::apply([&](const auto&... f) { (add(f, config, std::string{f.doc}), ...), (add_own(f), ...); },
             fields_of<Config>);
}

}  // namespace peerpath::scenario
