// "; did you mean ...?": the end of a message about an unknown word.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "peerpath/base/nearest.hpp"

namespace peerpath::scenario {

/// The choice that was meant: the nearest one, or the first that begins with the word ("goodput" for "goodput_gbps").
inline std::string meant_by(std::string_view word, const std::vector<std::string>& choices) {
  constexpr std::size_t shortest = 3;
  if (auto found = nearest(word, choices); !found.empty() || word.size() < shortest) return found;
  const auto begins =
      std::ranges::find_if(choices, [&](const std::string& choice) { return choice.starts_with(word); });
  return begins == choices.end() ? std::string{} : *begins;
}

/// `; did you mean "queues"?`, or nothing. `before` and `after` stand around the choice.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& choices,
                                std::string_view before = {}, std::string_view after = {}) {
  const auto meant = meant_by(word, choices);
  if (meant.empty()) return {};
  return "; did you mean \"" + std::string{before} + meant + std::string{after} + "\"?";
}

}  // namespace peerpath::scenario
