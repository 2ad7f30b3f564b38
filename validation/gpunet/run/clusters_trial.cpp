#include <algorithm>

#include "validation/gpunet/run/mapreduce.hpp"
#include "validation/gpunet/run/shares.hpp"

namespace peerpath::gpunet::run {

Clustered cluster(const Trial& trial, const std::vector<apps::Point>& points, std::vector<apps::Point> centroids,
                  std::uint64_t rounds, int nodes, unsigned mappers) {
  const auto size = centroids.size() * sizeof(apps::Point);
  Job job{.what = apps::Job::cluster,
          .nodes = nodes,
          .mappers = mappers,
          .size = {.ring_bytes = 1 << 16},
          .input = {reinterpret_cast<const unsigned char*>(points.data()), points.size() * sizeof(apps::Point)}};
  job.size.sockets = 4 * job.workers() * mappers + 16;
  auto shares = open_shares(trial, job);
  for (auto& share : shares) {
    share.task.count = rounds;
    share.task.clusters = static_cast<std::uint32_t>(centroids.size());
    share.task.memory = share.node->allocate(size);
    share.node->write(share.task.memory, centroids.data(), size);
  }
  Clustered clustered;
  clustered.right = run_shares(shares, mappers, trial.threads, clustered.seconds);
  shares.front().node->read(centroids.data(), shares.front().task.memory, size);
  clustered.centroids = std::move(centroids);
  return clustered;
}

std::vector<apps::Point> cluster_on_cpu(const std::vector<apps::Point>& points, std::vector<apps::Point> centroids,
                                        std::uint64_t rounds) {
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<std::vector<apps::Point>> members(centroids.size());
    for (const auto& point : points) {
      const auto distance = [&](const apps::Point& centroid) {
        std::int64_t sum = 0;
        for (std::uint32_t d = 0; d < apps::dimensions; ++d) {
          const std::int64_t apart = std::int64_t{centroid.at[d]} - point.at[d];
          sum += apart * apart;
        }
        return sum;
      };
      const auto best = std::ranges::min_element(centroids, {}, distance);
      members[static_cast<std::size_t>(best - centroids.begin())].push_back(point);
    }
    for (std::size_t k = 0; k < centroids.size(); ++k)
      for (std::uint32_t d = 0; d < apps::dimensions && !members[k].empty(); ++d) {
        std::int64_t sum = 0;
        const auto count = static_cast<std::int64_t>(members[k].size());
        for (const auto& point : members[k]) sum += point.at[d];
        auto mean = sum / count, rest = sum % count;  // floor(sum / count + 1/2)
        if (rest < 0) --mean, rest += count;
        centroids[k].at[d] = static_cast<std::int32_t>(mean + (2 * rest >= count ? 1 : 0));
      }
  }
  return centroids;
}

std::vector<apps::Point> make_points(std::size_t count, std::uint32_t clusters, std::uint64_t seed) {
  std::uint64_t state = seed * 2 + 1;
  const auto next = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  std::vector<apps::Point> centres(clusters), points(count);
  for (auto& centre : centres)
    for (auto& at : centre.at) at = static_cast<std::int32_t>(next() % 2000000) - 1000000;
  for (auto& point : points) {
    const auto& centre = centres[next() % clusters];
    for (std::uint32_t d = 0; d < apps::dimensions; ++d)
      point.at[d] = centre.at[d] + static_cast<std::int32_t>(next() % 400000) - 200000;
  }
  return points;
}

}  // namespace peerpath::gpunet::run
