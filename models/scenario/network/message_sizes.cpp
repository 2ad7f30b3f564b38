#include "scenario/network/message_sizes.hpp"

#include <algorithm>
#include <array>

namespace peerpath::network_scenario {
namespace {

/// So many percent of all messages are not larger.
struct Share {
  std::int64_t bytes = 0, percent = 0;
};

/// Flows of a web search cluster: M. Alizadeh et al., Data Center TCP (SIGCOMM 2010), by the points of
/// traffic_gen/WebSearch_distribution.txt in github.com/alibaba-edu/High-Precision-Congestion-Control. Evenly spread
/// between two points, as that generator takes them.
constexpr std::array<Share, 12> web_search{{{0, 0},
                                            {10'000, 15},
                                            {20'000, 20},
                                            {30'000, 30},
                                            {50'000, 40},
                                            {80'000, 53},
                                            {200'000, 60},
                                            {1'000'000, 70},
                                            {2'000'000, 80},
                                            {5'000'000, 90},
                                            {10'000'000, 97},
                                            {30'000'000, 100}}};

}  // namespace

Bytes mean_size(Sizes sizes, Bytes fixed) {
  if (sizes == Sizes::fixed) return fixed;
  std::int64_t twice_hundredfold = 0;
  for (std::size_t i = 1; i < web_search.size(); ++i)
    twice_hundredfold +=
        (web_search[i].bytes + web_search[i - 1].bytes) * (web_search[i].percent - web_search[i - 1].percent);
  return Bytes{twice_hundredfold / 200};
}

Bytes draw_size(Sizes sizes, Bytes fixed, Random& random) {
  if (sizes == Sizes::fixed) return fixed;
  constexpr std::int64_t one = 1 << 20;  // percent are drawn in 2^-20
  const auto drawn = static_cast<std::int64_t>(random.below(100 * one));
  std::size_t i = 1;
  while (web_search[i].percent * one <= drawn) ++i;
  const auto &low = web_search[i - 1], &high = web_search[i];
  const auto into = (high.bytes - low.bytes) * (drawn - low.percent * one) / ((high.percent - low.percent) * one);
  return Bytes{std::max<std::int64_t>(1, low.bytes + into)};
}

}  // namespace peerpath::network_scenario
