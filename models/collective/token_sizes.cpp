#include "collective/token_sizes.hpp"

#include <algorithm>
#include <numeric>

#include "peerpath/base/random.hpp"

namespace peerpath::collective {
namespace {

/// Sums of shares up to each expert, in the order of how often they are asked.
std::vector<std::uint64_t> popularity(std::uint32_t experts, int skew) {
  std::vector<std::uint64_t> sums;
  std::uint64_t sum = 0;
  for (std::uint64_t k = 1; k <= experts; ++k) {
    auto share = std::uint64_t{1} << 44;
    for (int s = 0; s < skew; ++s) share /= k;
    sums.push_back(sum += share);
  }
  return sums;
}

}  // namespace

std::vector<Bytes> token_sizes(std::uint32_t ranks, const Tokens& tokens) {
  Random random{tokens.seed, "tokens of experts"};
  std::vector<std::uint32_t> experts(ranks);
  std::iota(experts.begin(), experts.end(), 0u);
  for (auto left = ranks; left > 1; --left) std::swap(experts[left - 1], experts[random.below(left)]);
  const auto sums = popularity(ranks, tokens.skew);
  std::vector<Bytes> sizes(std::size_t{ranks} * ranks);
  for (std::uint32_t from = 0; from < ranks; ++from)
    for (std::uint32_t t = 0; t < tokens.each; ++t) {
      const auto place = std::ranges::upper_bound(sums, random.below(sums.back())) - sums.begin();
      sizes[std::size_t{from} * ranks + experts[static_cast<std::size_t>(place)]] += tokens.token;
    }
  return sizes;
}

}  // namespace peerpath::collective
