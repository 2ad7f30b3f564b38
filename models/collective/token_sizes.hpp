// Sizes of an AlltoAll that brings tokens to their experts.
#pragma once

#include "collective/schedule.hpp"

namespace peerpath::collective {

/// A layer of experts, one at each rank, of which some are asked more often than others.
struct Tokens {
  Bytes token{};           ///< of one
  std::uint32_t each = 0;  ///< that a rank has
  int skew = 0;            ///< the k-th most asked expert is asked as 1 / k^skew (Zipf); 0: all alike
  std::uint64_t seed = 1;
};

/// The bytes that each rank has for each other, [from * ranks + to]: every token of every rank goes to an expert by
/// chance, and which expert is asked most is drawn too. Tokens for a rank's own expert stay.
std::vector<Bytes> token_sizes(std::uint32_t ranks, const Tokens& tokens);

}  // namespace peerpath::collective
