// Collectives as lists of sends that wait for each other.
#pragma once

#include <cstdint>
#include <vector>

#include "peerpath/base/units.hpp"

namespace peerpath::collective {

/// A message from one rank to another. It may start at once, or after a message `after`, and after `also`: when its
/// rank has got that one, or has heard that its own has arrived. One from a rank to itself is no message: it is over
/// when what it waits for is, so that another one can wait for more than two.
struct Send {
  static constexpr std::uint32_t at_once = ~std::uint32_t{0};
  std::uint32_t from = 0, to = 0;
  Bytes bytes{};
  std::uint32_t after = at_once, also = at_once;  ///< places in the schedule, earlier than its own
};

using Schedule = std::vector<Send>;

/// One of so many equal parts; the last takes what is left over.
constexpr Bytes part(Bytes bytes, std::uint32_t parts, std::uint32_t number) {
  const Bytes each{bytes.count() / parts};
  return number + 1 == parts ? bytes - each * (parts - 1) : each;
}

/// Ring AllReduce of `bytes` a rank: n - 1 steps that reduce and n - 1 that gather, each of a n-th part; a rank passes
/// on in a step what it received in the one before (Patarasuk and Yuan 2009). The last part takes what is left over.
Schedule ring_all_reduce(std::uint32_t ranks, Bytes bytes);

/// The first steps of either.
Schedule ring_steps(std::uint32_t ranks, Bytes bytes, std::uint32_t steps);

/// One half of it: what every rank gathers of the others', n - 1 steps.
Schedule ring_all_gather(std::uint32_t ranks, Bytes bytes);

/// The other half: every rank is left with the sum of a n-th.
Schedule ring_reduce_scatter(std::uint32_t ranks, Bytes bytes);

/// AllReduce over two trees, each of half of the bytes: a rank passes on to its parent the sum of its own and of what
/// its children sent, and the root's sum goes back down. The trees are binary, over ranks in order: the middle one is
/// the root, and each half hangs from it likewise. The second is the mirror image of the first, so that a rank that
/// passes on in one is, mostly, a leaf of the other (P. Sanders, J. Speck, J. Träff 2009; NCCL's double binary tree).
Schedule tree_all_reduce(std::uint32_t ranks, Bytes bytes);

/// From `root` to the next rank, and from each to the next, until all have it.
Schedule chain_broadcast(std::uint32_t ranks, Bytes bytes, std::uint32_t root);

/// The same in slices that go round one behind the other, each waiting only for itself (NCCL's steps).
Schedule in_slices(const Schedule& whole, std::uint32_t slices);
/// The same round by round: all slices of one stand before the next. `ends`: of each, in messages of the whole.
Schedule in_slices(const Schedule& whole, std::uint32_t slices, const std::vector<std::uint32_t>& ends);

/// Every rank sends a n-th of `bytes` to every other, first to its neighbour; `window` messages of a rank are on their
/// way at a time.
Schedule all_to_all(std::uint32_t ranks, Bytes bytes, std::uint32_t window);

/// The same to that many of the others alone, evenly apart.
Schedule all_to_some(std::uint32_t ranks, Bytes bytes, std::uint32_t window, std::uint32_t others);

/// AlltoAll with a size for each pair, [from * ranks + to]; where there is nothing, no message goes.
Schedule all_to_all_v(std::uint32_t ranks, const std::vector<Bytes>& sizes, std::uint32_t window);
/// Those of `all_to_all`.
std::vector<Bytes> equal_sizes(std::uint32_t ranks, Bytes bytes);

}  // namespace peerpath::collective
