// What limits one traffic entry that falls short, found in the results of one run.
#pragma once

#include <optional>
#include <string>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::observe {

struct Limit {
  std::string name;  ///< "link sw0-rc up"
  std::string how;   ///< ", busy 99.8 % of the time"
};

/// Looks only at what the entry uses, in this order:
/// 1. a link on its way that is down;
/// 2. a resource on the way of its payload that is busy nearly all the time and of which nobody else gets more than the
///    entry (a flow has its bottleneck where it is among the largest: max-min fairness);
/// 3. credits of its class that a link on its way lacked; where the TLPs of others block its own there, what those wait
///    for;
/// 4. frames that its NIC dropped for want of room or buffers;
/// 5. units that are held from request to answer (tags, transfers in flight) that are all in use while more are wanted.
///    By Little's law their number, divided by the latency, is the rate;
/// 6. the direction of its read requests, or any other resource on its way, busy nearly all the time.
/// nullopt: nothing of the kind; latency, or several things that take turns.
std::optional<Limit> find_limit(const Results& results, const scenario::Scenario& scenario,
                                const TrafficResult& traffic);

/// `part` in percent of `whole`.
Decimal share(Duration part, Duration whole);

/// "98.2 %": one decimal is enough for a sentence.
std::string spell_percent(Decimal percent);

}  // namespace peerpath::observe
