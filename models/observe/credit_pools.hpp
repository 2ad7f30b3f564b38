// Which flow-control credits of a link run out first.
#pragma once

#include <string>
#include <vector>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::observe {

/// One direction of one link of the results.
struct LinkSide {
  const LinkResult* link = nullptr;
  Direction direction{};

  const LinkDirectionResult& sent() const { return direction == Direction::up ? link->up : link->down; }
  const LinkDirectionResult& received() const { return direction == Direction::up ? link->down : link->up; }
  const std::string& from() const { return direction == Direction::up ? link->farther : link->nearer; }
  const std::string& to() const { return direction == Direction::up ? link->nearer : link->farther; }
  /// "link sw0-rc up"
  std::string name() const { return "link " + link->name + " " + std::string{name_of(direction)}; }
};

/// Whether `device` is below `node`, or is it.
bool is_below(const Results& results, std::string device, const std::string& node);

/// "posted header credits": of the credits of a direction those whose number is used up most often. A class's credits
/// are taken once a TLP, and are away for about as long as those of other classes, so the pool that is emptied first is
/// that with most TLPs or data for its size, among those of `classes`. "" if none of them is finite; "credits" if the
/// link is none of the scenario.
std::string scarce_credits(const Results& results, const scenario::Scenario& scenario, const LinkSide& side,
                           const std::vector<pcie::TlpClass>& classes = {
                               pcie::TlpClass::posted, pcie::TlpClass::non_posted, pcie::TlpClass::completion});

}  // namespace peerpath::observe
