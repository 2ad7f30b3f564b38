#include "collective/rooted.hpp"

#include <algorithm>
#include <bit>

#include "collective/builder.hpp"

namespace peerpath::collective {
namespace {

/// The binomial tree over places, of which the root has 0: `use(parent, child, places)` for each child, the one with
/// the most places below it first and parents before their children; `places`: below the child, itself included.
template <class Use>
void for_each_edge(std::uint32_t ranks, const Use& use) {
  for (auto span = std::bit_ceil(ranks) / 2; span > 0; span /= 2)
    for (std::uint32_t parent = 0; parent + span < ranks; parent += 2 * span)
      use(parent, parent + span, std::min(span, ranks - parent - span));
}

struct Edge {
  std::uint32_t parent = 0, child = 0, places = 0;
};
std::vector<Edge> edges(std::uint32_t ranks) {
  std::vector<Edge> out;
  for_each_edge(ranks, [&](auto parent, auto child, auto places) { out.push_back({parent, child, places}); });
  return out;
}

/// From the root down. `size(first, places)`: what goes to the ranks at those places.
template <class Size>
Schedule down(std::uint32_t ranks, std::uint32_t root, const Size& size) {
  Builder out;
  std::vector<std::uint32_t> got(ranks, Send::at_once), sent(ranks, Send::at_once);
  for (const auto& e : edges(ranks)) {
    const auto number = out.send((e.parent + root) % ranks, (e.child + root) % ranks, size(e.child, e.places),
                                 {got[e.parent], sent[e.parent]});
    got[e.child] = sent[e.parent] = number;
  }
  return out.take();
}

/// To the root up: a rank sends when it has all from its children.
template <class Size>
Schedule up(std::uint32_t ranks, std::uint32_t root, const Size& size) {
  Builder out;
  std::vector<Builder::Causes> got(ranks);
  auto all = edges(ranks);
  for (auto e = all.rbegin(); e != all.rend(); ++e)
    got[e->parent].push_back(
        out.send((e->child + root) % ranks, (e->parent + root) % ranks, size(e->child, e->places), got[e->child]));
  return out.take();
}

/// What belongs to the ranks at so many places.
auto parts_from(std::uint32_t ranks, Bytes bytes, std::uint32_t root) {
  return [=](std::uint32_t first, std::uint32_t places) {
    Bytes sum{};
    for (std::uint32_t i = 0; i < places; ++i) sum += part(bytes, ranks, (first + i + root) % ranks);
    return sum;
  };
}
auto whole(Bytes bytes) {
  return [=](std::uint32_t, std::uint32_t) { return bytes; };
}

}  // namespace

Schedule chain_reduce(std::uint32_t ranks, Bytes bytes, std::uint32_t root) {
  Schedule schedule;
  for (std::uint32_t i = 0; i + 1 < ranks; ++i)
    schedule.push_back({(root + 1 + i) % ranks, (root + 2 + i) % ranks, bytes, i == 0 ? Send::at_once : i - 1});
  return schedule;
}

Schedule straight_gather(std::uint32_t ranks, Bytes bytes, std::uint32_t root) {
  Schedule schedule;
  for (std::uint32_t i = 1; i < ranks; ++i) {
    const auto from = (root + i) % ranks;
    schedule.push_back({from, root, part(bytes, ranks, from)});
  }
  return schedule;
}

Schedule straight_scatter(std::uint32_t ranks, Bytes bytes, std::uint32_t root, std::uint32_t window) {
  Schedule schedule;
  for (std::uint32_t i = 1; i < ranks; ++i) {
    const auto to = (root + i) % ranks;
    schedule.push_back({root, to, part(bytes, ranks, to), i > window ? i - 1 - window : Send::at_once});
  }
  return schedule;
}

Schedule binomial_broadcast(std::uint32_t ranks, Bytes bytes, std::uint32_t root) {
  return down(ranks, root, whole(bytes));
}
Schedule binomial_reduce(std::uint32_t ranks, Bytes bytes, std::uint32_t root) { return up(ranks, root, whole(bytes)); }
Schedule binomial_scatter(std::uint32_t ranks, Bytes bytes, std::uint32_t root) {
  return down(ranks, root, parts_from(ranks, bytes, root));
}
Schedule binomial_gather(std::uint32_t ranks, Bytes bytes, std::uint32_t root) {
  return up(ranks, root, parts_from(ranks, bytes, root));
}

}  // namespace peerpath::collective
