// Problems that say that an object has no key of this name, told from those about its value.
#pragma once

#include <string_view>

#include "peerpath/base/problem.hpp"

namespace peerpath::scenario {

/// How their messages begin: no object of this sort has the key, or an entry of another kind has it.
inline constexpr std::string_view says_unknown_key = "unknown key";
inline constexpr std::string_view says_key_of_another_kind = "is not a key of ";

inline bool is_about_missing_key(const Problem& problem) {
  return problem.message.starts_with(says_unknown_key) || problem.message.starts_with(says_key_of_another_kind);
}

}  // namespace peerpath::scenario
