// Collectives with a root: chains, binomial trees, and straight ways.
#pragma once

#include "collective/schedule.hpp"

namespace peerpath::collective {

/// The sum goes along a chain that ends at `root`: the mirror image of `chain_broadcast`.
Schedule chain_reduce(std::uint32_t ranks, Bytes bytes, std::uint32_t root);

/// Every rank sends its n-th of `bytes` to the root, all at once.
Schedule straight_gather(std::uint32_t ranks, Bytes bytes, std::uint32_t root);
/// The root sends every rank its n-th, `window` messages at a time.
Schedule straight_scatter(std::uint32_t ranks, Bytes bytes, std::uint32_t root, std::uint32_t window);

/// Over a binomial tree: ceil(lg n) rounds, in each of which every rank that has the data sends it on to another one
/// (R. Thakur, R. Rabenseifner, W. Gropp 2005). A rank sends to one child after another.
Schedule binomial_broadcast(std::uint32_t ranks, Bytes bytes, std::uint32_t root);
Schedule binomial_reduce(std::uint32_t ranks, Bytes bytes, std::uint32_t root);
/// The same with what belongs to the ranks below the child, or comes from them.
Schedule binomial_scatter(std::uint32_t ranks, Bytes bytes, std::uint32_t root);
Schedule binomial_gather(std::uint32_t ranks, Bytes bytes, std::uint32_t root);

}  // namespace peerpath::collective
