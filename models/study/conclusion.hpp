// What reruns with one thing doubled or halved show.
#pragma once

#include <cstdint>
#include <string>

#include "peerpath/observe/results.hpp"

namespace peerpath::study {

/// Changes are in percent with two decimals.
inline constexpr int change_places = 2;
inline constexpr std::int64_t change_of_one_percent = 100;

/// (now / before - 1) in percent.
observe::Decimal change(WideInt now, WideInt before);

/// Largest change of a goodput, beyond its interval, or of a p99 latency.
observe::Decimal weight_of(const observe::WhatIfRow& row);

/// Puts the suspects in the order of the goodput that an entry gains where they are doubled, largest first; the arrival
/// rate comes last.
void order_suspects(observe::WhatIf& what_if, std::string_view arrival);

/// Whether a suspect of this name is the limit that a sentence names: "link sw0-rc" is for "link sw0-rc up".
bool is_limit(const std::string& suspect, const std::string& limit);

/// Says of each of Results::limits what the reruns (Results::what_if) have shown. An entry that they show to have
/// another limit goes to that one. `arrival`: the suspect that is no limit, but what is offered.
void draw_conclusion(observe::Results& results, std::string_view arrival);

}  // namespace peerpath::study
