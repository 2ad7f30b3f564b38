// Trials and applications on CPU threads.
#include <gtest/gtest.h>
#include <unistd.h>

#include "validation/gpunet/run/mapreduce.hpp"

namespace peerpath::gpunet::run {
namespace {

Trial on_cpu(const std::string& name) {
  const auto path = "/tmp/gpunet-run." + std::to_string(::getpid()) + name;
  ProxyOptions options;
  options.nap = options.spin = std::chrono::microseconds{50};
  return {[options](int, const Dimensions& size, const ProxyOptions& asked) {
            auto used = options;
            used.threads = asked.threads;
            return open_cpu(size, used);
          },
          2, local_address(path.c_str())};
}

TEST(GpunetRun, EchoesMessagesOfAnySize) {
  for (const std::uint64_t bytes : {1, 64, 124, 125, 4096, 1 << 20}) {
    const auto timing = echo(on_cpu("a" + std::to_string(bytes)), bytes, 5);
    EXPECT_TRUE(timing.right) << bytes;
    EXPECT_EQ(timing.ns.size(), 5u);
  }
}

TEST(GpunetRun, ServesAConnectionForEachBlock) { EXPECT_TRUE(echo_many(on_cpu("b"), 300, 16, 3).right); }

TEST(GpunetRun, StreamsBySeveralProxyThreads) {
  EXPECT_TRUE(stream(on_cpu("c"), 1 << 20, 6, 1, 1, 1).right);
  EXPECT_TRUE(stream(on_cpu("d"), 1 << 16, 6, 3, 2, 1).right);
}

TEST(GpunetRun, ClustersAsTheCpuDoes) {
  const auto points = make_points(3000, 16, 1);
  const std::vector<apps::Point> start{points.begin(), points.begin() + 16};
  const auto expected = cluster_on_cpu(points, start, 4);
  for (const int nodes : {1, 2}) {
    const auto found = cluster(on_cpu("e" + std::to_string(nodes)), points, start, 4, nodes, 2);
    ASSERT_TRUE(found.right);
    for (std::size_t k = 0; k < expected.size(); ++k)
      for (std::uint32_t d = 0; d < apps::dimensions; ++d) EXPECT_EQ(found.centroids[k].at[d], expected[k].at[d]);
  }
}

TEST(GpunetRun, RoundsMeansHalvesUpwards) {
  EXPECT_EQ(apps::rounded(5, 2), 3);
  EXPECT_EQ(apps::rounded(-5, 2), -2);
  EXPECT_EQ(apps::rounded(-7, 3), -2);
  EXPECT_EQ(apps::rounded(-8, 3), -3);
}

}  // namespace
}  // namespace peerpath::gpunet::run
