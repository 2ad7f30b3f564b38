// Options that a struct with `fields()` leaves out, with the meaning of their absence, which their own texts state.
#pragma once

#include <string>
#include <string_view>

#include "scenario/kinds.hpp"
#include "scenario/value.hpp"
#include "scenario/write.hpp"

namespace peerpath::scenario {

template <class T>
void collect_absent(const T& value, const std::string& pointer, Absent& out) {
  if constexpr (Configurable<T>) {
    const auto each = [&](const auto& f) {
      if constexpr (requires { value.is_of_sender(f.name); })
        if (value.is_of_sender(f.name)) return;
      const auto& member = value.*f.member;
      using Member = std::remove_cvref_t<decltype(member)>;
      const auto at = join(pointer, f.name);
      const auto note = [&] {
        if (const auto meaning = meaning_of_absence(f.doc); !meaning.empty()) out.emplace(at, meaning);
      };
      if constexpr (is_kinds<Member>)
        std::visit([&](const auto& what) { collect_absent(what, pointer, out); }, member);
      else if constexpr (is_optional<Member>)
        member ? collect_absent(*member, at, out) : note();
      else if constexpr (is_vector<Member> || std::is_same_v<Member, std::string>)
        member.empty() ? note() : collect_absent(member, at, out);
      else
        collect_absent(member, at, out);
    };
    std::apply([&](const auto&... f) { (each(f), ...); }, fields_of<T>);
  } else if constexpr (is_list_of_structs<T>) {
    for (std::size_t i = 0; i < value.size(); ++i) collect_absent(value[i], join(pointer, i), out);
  }
}

}  // namespace peerpath::scenario
