#include <algorithm>

#include "validation/gpunet/run/mapreduce.hpp"

namespace peerpath::gpunet::run {

Clustered cluster(const Trial& trial, const std::vector<apps::Point>& points, std::vector<apps::Point> centroids,
                  std::uint64_t rounds, int nodes, unsigned mappers) {
  struct Share {
    std::unique_ptr<Node> node;
    apps::Task task;
  };
  const auto workers = static_cast<std::uint32_t>(nodes) * mappers;
  std::vector<Share> shares;
  for (int n = 0; n < nodes; ++n) {
    const Dimensions size{.sockets = 4 * workers * mappers + 16, .blocks = 2 * mappers, .ring_bytes = 1 << 16};
    Share share{trial.open(n, size, {}), {}};
    share.task.job = apps::Job::cluster;
    share.task.address = trial.address;
    share.task.bytes = points.size() * sizeof(apps::Point);
    share.task.count = rounds;
    share.task.first = static_cast<std::uint32_t>(n) * mappers;
    share.task.workers = workers;
    share.task.clusters = static_cast<std::uint32_t>(centroids.size());
    auto* input = share.node->allocate(share.task.bytes);
    share.node->write(input, points.data(), share.task.bytes);
    share.task.input = input;
    share.task.memory = share.node->allocate(centroids.size() * sizeof(apps::Point));
    share.node->write(share.task.memory, centroids.data(), centroids.size() * sizeof(apps::Point));
    share.task.results = reinterpret_cast<std::uint64_t*>(share.node->allocate(2 * mappers * 8));
    shares.push_back(std::move(share));
  }
  const auto start = Clock::now();
  Clustered clustered;
  clustered.right = true;
  for (auto& share : shares) share.node->launch(share.task, 2 * mappers, trial.threads);
  for (auto& share : shares) clustered.right = share.node->wait(60) && clustered.right;
  clustered.seconds = std::chrono::duration<double>{Clock::now() - start}.count();
  for (auto& share : shares) {
    std::vector<std::uint64_t> failed(2 * mappers);
    share.node->read(failed.data(), reinterpret_cast<const unsigned char*>(share.task.results), failed.size() * 8);
    clustered.right = clustered.right && std::ranges::count(failed, 0u) == static_cast<std::ptrdiff_t>(failed.size());
    std::vector<apps::Point> found(centroids.size());
    share.node->read(found.data(), share.task.memory, found.size() * sizeof(apps::Point));
    if (clustered.centroids.empty()) clustered.centroids = found;
  }
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
