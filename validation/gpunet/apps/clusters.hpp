// k-means over sockets: even blocks assign their share of the points and add them up, odd blocks own some of the
// centroids. Integers throughout, so any schedule gives the same centroids.
#pragma once

#include "validation/gpunet/apps/task.hpp"

namespace peerpath::gpunet::apps {

inline constexpr std::uint32_t dimensions = 4, most_clusters = 64;

struct Point {
  std::int32_t at[dimensions];
};
/// Of the points of one cluster.
struct Sum {
  std::int64_t at[dimensions];
  std::int64_t count;
};

/// Nearest whole number, halves upwards, for both signs.
constexpr std::int32_t rounded(std::int64_t sum, std::int64_t count) {
  const auto numerator = 2 * sum + count, denominator = 2 * count;
  const auto quotient = numerator / denominator;
  return static_cast<std::int32_t>(quotient - (numerator % denominator < 0 ? 1 : 0));
}

/// The nearest centroid; of equally near ones the first.
constexpr std::uint32_t nearest(const Point& point, const Point* centroids, std::uint32_t clusters) {
  std::uint32_t best = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint32_t k = 0; k < clusters; ++k) {
    std::uint64_t distance = 0;
    for (std::uint32_t d = 0; d < dimensions; ++d) {
      const auto apart = std::int64_t{point.at[d]} - centroids[k].at[d];
      distance += static_cast<std::uint64_t>(apart * apart);
    }
    if (distance < least) least = distance, best = k;
  }
  return best;
}

/// What a block works with, in its scratch.
struct ClusterScratch {
  Point centroids[most_clusters];
  Sum sums[most_clusters];
  Sum heard[most_clusters];
  std::int32_t sockets[64];
};
static_assert(sizeof(ClusterScratch) <= sizeof(Shared::scratch));

/// Clusters that owner `r` of `owners` has: those from here up to the next one's.
constexpr std::uint32_t first_of(std::uint32_t r, std::uint32_t owners, std::uint32_t clusters) {
  return r * clusters / owners;
}

template <Threadblock Block>
constexpr void add_up(Block& block, ClusterScratch& s, const Task& task, std::uint64_t begin, std::uint64_t end) {
  auto* words = reinterpret_cast<std::uint64_t*>(s.sums);
  for (std::uint32_t i = block.thread(); i < task.clusters * (dimensions + 1); i += block.threads()) words[i] = 0;
  block.sync();
  const auto* points = reinterpret_cast<const Point*>(task.input);
  for (auto i = begin + block.thread(); i < end; i += block.threads()) {
    auto& sum = s.sums[nearest(points[i], s.centroids, task.clusters)];
    for (std::uint32_t d = 0; d < dimensions; ++d) block.add(&sum.at[d], std::int64_t{points[i].at[d]});
    block.add(&sum.count, std::int64_t{1});
  }
  block.sync();
}

/// A mapper; returns whether all went well.
template <Threadblock Block>
constexpr bool map_points(Block& block, ClusterScratch& s, const Task& task, std::uint32_t worker) {
  const auto points = task.bytes / sizeof(Point);
  bool fine = true;
  for (std::uint32_t r = 0; r < task.workers; ++r) {
    const int socket = connect_soon(block, address_of(task.address, r));
    fine = fine && socket >= 0;
    if (block.thread() == 0) s.sockets[r] = socket;
    block.sync();
  }
  for (std::uint64_t round = 0; fine && round < task.count; ++round) {
    add_up(block, s, task, points * worker / task.workers, points * (worker + 1) / task.workers);
    for (std::uint32_t r = 0; r < task.workers; ++r) {
      const auto first = first_of(r, task.workers, task.clusters), end = first_of(r + 1, task.workers, task.clusters);
      const auto size = std::int64_t{end - first} * static_cast<std::int64_t>(sizeof(Sum));
      fine = gsend(block, s.sockets[r], s.sums + first, static_cast<std::uint64_t>(size)) == size && fine;
    }
    for (std::uint32_t r = 0; r < task.workers; ++r) {
      const auto first = first_of(r, task.workers, task.clusters), end = first_of(r + 1, task.workers, task.clusters);
      const auto size = std::int64_t{end - first} * static_cast<std::int64_t>(sizeof(Point));
      fine = grecv_all(block, s.sockets[r], s.centroids + first, static_cast<std::uint64_t>(size)) == size && fine;
    }
  }
  for (std::uint32_t r = 0; r < task.workers; ++r) gclose(block, s.sockets[r]);
  return fine;
}

/// By all threads: what an owner heard from all mappers becomes its new centroids. An empty cluster keeps its place.
template <Threadblock Block>
constexpr void move_centroids(Block& block, ClusterScratch& s, std::uint32_t first, std::uint32_t end) {
  for (auto k = first + block.thread(); k < end; k += block.threads())
    for (std::uint32_t d = 0; d < dimensions && s.sums[k].count > 0; ++d)
      s.centroids[k].at[d] = rounded(s.sums[k].at[d], s.sums[k].count);
  block.sync();
}

template <Threadblock Block>
constexpr bool own_centroids(Block& block, ClusterScratch& s, const Task& task, std::uint32_t worker) {
  const auto address = address_of(task.address, worker);
  const int listener = gsocket(block, address.family);
  bool fine = listener >= 0 && gbind(block, listener, address) == 0 && glisten(block, listener, 1024) == 0;
  for (std::uint32_t m = 0; fine && m < task.workers; ++m) {
    const int socket = gaccept(block, listener);
    fine = socket >= 0;
    if (block.thread() == 0) s.sockets[m] = socket;
    block.sync();
  }
  const auto first = first_of(worker, task.workers, task.clusters);
  const auto end = first_of(worker + 1, task.workers, task.clusters);
  const auto words = (end - first) * (dimensions + 1);
  for (std::uint64_t round = 0; fine && round < task.count; ++round) {
    for (std::uint32_t m = 0; m < task.workers; ++m) {
      const auto size = std::int64_t{words} * 8;
      fine = grecv_all(block, s.sockets[m], s.heard + first, static_cast<std::uint64_t>(size)) == size && fine;
      auto* sums = reinterpret_cast<std::int64_t*>(s.sums + first);
      const auto* heard = reinterpret_cast<const std::int64_t*>(s.heard + first);
      for (std::uint32_t i = block.thread(); i < words; i += block.threads())
        sums[i] = (m == 0 ? 0 : sums[i]) + heard[i];
      block.sync();
    }
    move_centroids(block, s, first, end);
    const auto size = std::int64_t{end - first} * static_cast<std::int64_t>(sizeof(Point));
    for (std::uint32_t m = 0; m < task.workers; ++m)
      fine = gsend(block, s.sockets[m], s.centroids + first, static_cast<std::uint64_t>(size)) == size && fine;
  }
  for (std::uint32_t m = 0; m < task.workers; ++m) gclose(block, s.sockets[m]);
  gclose(block, listener);
  return fine;
}

/// `bytes` of points at `input`; `count` rounds from the centroids at `memory`, which get their last place. `workers`
/// mappers and as many owners in all grids. results[block] is 1 if something failed.
template <Threadblock Block>
constexpr void cluster(Block& block, const Task& task) {
  auto& s = *reinterpret_cast<ClusterScratch*>(block.shared().scratch);
  auto* centroids = reinterpret_cast<Point*>(task.memory);
  for (std::uint32_t k = block.thread(); k < task.clusters; k += block.threads()) s.centroids[k] = centroids[k];
  block.sync();
  const auto worker = task.first + block.index() / 2;
  const bool maps = block.index() % 2 == 0;
  const bool fine = maps ? map_points(block, s, task, worker) : own_centroids(block, s, task, worker);
  if (maps && block.index() == 0)
    for (std::uint32_t k = block.thread(); k < task.clusters; k += block.threads()) centroids[k] = s.centroids[k];
  if (block.thread() == 0) task.results[block.index()] = !fine;
}

}  // namespace peerpath::gpunet::apps
