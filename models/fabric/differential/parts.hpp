// What several kinds of cases are made with.
#pragma once

#include <algorithm>
#include <vector>

#include "fabric/differential/scenario.hpp"

namespace peerpath::fabric::differential {

/// Which endpoints are asked for: all, or those that answer by themselves.
enum class Endpoints : std::uint8_t { all, internal };

/// Endpoints of the router that has most of them, beginning with router `first`.
std::vector<NodeId> neighbours(const Topology& topology, std::size_t first, Endpoints which);

/// A channel that nothing else is submitted on, as long as there are any.
ChannelIndex new_channel(Topology& topology, NodeId node);

/// By their times, those of one time as they were.
template <class T>
void sort_by_time(std::vector<T>& items) {
  std::stable_sort(items.begin(), items.end(), [](const T& x, const T& y) { return x.at < y.at; });
}

/// Sorts what is planned by when it is ready, and gives it its cookies.
void sort_planned(std::vector<Planned>& planned);

}  // namespace peerpath::fabric::differential
