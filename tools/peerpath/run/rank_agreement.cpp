#include "tools/peerpath/run/rank_agreement.hpp"

#include <algorithm>

#include "tools/peerpath/files/sha256.hpp"

namespace peerpath::cli {

std::string disagreement(network_run::Ranks& ranks, std::string_view resolved) {
  const auto digest = sha256(resolved);
  network_run::Buffer own(digest.size());
  std::ranges::transform(digest, own.begin(), [](char c) { return static_cast<std::byte>(c); });
  const std::vector<network_run::Buffer> out(ranks.count(), own);
  auto in = out;
  ranks.exchange(out, in);
  const auto other = std::ranges::find_if(in, [&](const auto& one) { return one != in.front(); });
  if (other == in.end()) return {};
  return "rank " + std::to_string(other - in.begin()) +
         " was given another scenario, seed or window than rank 0; ranks of one mpirun run one scenario together, so "
         "give all of them the same command";
}

}  // namespace peerpath::cli
