// What holds back the traffic that falls short, found in the results of one run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::observe {

struct Limit {
  std::string name;  ///< "link sw0-rc up"
  std::string how;   ///< ", busy 99.8 % of the time"
};

/// Looks, in this order, for a link that is down, a resource that is busy nearly all the time, credits that a link
/// lacked, a NIC that dropped frames for want of room or buffers, and for units that are held from request to answer
/// (tags, transfers in flight) of which more were wanted than there are. nullopt: nothing of the kind; latency, or
/// several things that take turns. The resource called `passed_over` is taken for not busy.
std::optional<Limit> find_limit(const Results& results, const scenario::Scenario& scenario,
                                const std::vector<const TrafficResult*>& lagging, const std::string& passed_over = "");

/// Those of `lagging` whose payload takes the link direction that a limit names; all of them if it names none, or one
/// that carries no payload of theirs.
std::vector<const TrafficResult*> held_by(const Limit& limit, const Results& results,
                                          const std::vector<const TrafficResult*>& lagging);

/// `part` in percent of `whole`.
Decimal share(Duration part, Duration whole);

/// "98.2 %": one decimal is enough for a sentence.
std::string spell_percent(Decimal percent);

}  // namespace peerpath::observe
