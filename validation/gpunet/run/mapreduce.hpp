// The MapReduce applications over one node or several, and their results.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "validation/gpunet/apps/clusters.hpp"
#include "validation/gpunet/run/trials.hpp"

namespace peerpath::gpunet::run {

struct Counted {
  std::map<std::string, std::uint64_t> words;
  bool right = false;  ///< all grids ended, and nothing was lost on the way
  double seconds = 0;
};
/// `mappers` on each of `nodes` nodes, and as many reducers.
Counted count_words(const Trial& trial, const std::string& text, int nodes, unsigned mappers);

struct Clustered {
  std::vector<apps::Point> centroids;
  bool right = false;
  double seconds = 0;
};
Clustered cluster(const Trial& trial, const std::vector<apps::Point>& points, std::vector<apps::Point> centroids,
                  std::uint64_t rounds, int nodes, unsigned mappers);
/// The same by the CPU alone, written without the kernels' code.
std::vector<apps::Point> cluster_on_cpu(const std::vector<apps::Point>& points, std::vector<apps::Point> centroids,
                                        std::uint64_t rounds);

/// Text of some `bytes` with a few thousand different words, some of them often; and points around `clusters` places.
std::string make_text(std::size_t bytes, std::uint64_t seed);
std::vector<apps::Point> make_points(std::size_t count, std::uint32_t clusters, std::uint64_t seed);

}  // namespace peerpath::gpunet::run
