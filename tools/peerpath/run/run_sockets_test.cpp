#include "tools/peerpath/run/run_sockets.hpp"

#include <gmock/gmock.h>

namespace peerpath::cli {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;

scenario::Scenario sockets(scenario::SocketPattern pattern, const std::string& from) {
  scenario::Scenario s;
  device::GpunetProxyConfig first, second;
  first.gpu = "gpu0", second.gpu = "gpu1";
  s.devices = {{"dram", device::HostMemoryConfig{}},
               {"gpu0", device::GpuConfig{}},
               {"gpu1", device::GpuConfig{}},
               {"p0", first},
               {"p1", second}};
  scenario::traffic::Gpunet what;
  what.pattern = pattern;
  scenario::Traffic t;
  t.name = "one";
  t.what = what;
  t.from = from;
  t.to = "p1";
  t.flows = 1;
  t.sizes = {512_B};
  s.traffic = {t};
  return s;
}

/// Threads of the CPU in place of GPUs; `asked` are the GPUs that were wanted.
gpunet::run::OpenNode on_cpu(std::vector<int>& asked) {
  return [&asked](int which, const auto& size, const auto& proxy) {
    asked.push_back(which);
    return gpunet::run::open_cpu(size, proxy);
  };
}

TEST(RunSockets, AnEchoIsMeasuredAndJudged) {
  auto s = sockets(scenario::SocketPattern::echo, "dram");
  s.expect.resize(2);
  s.expect[0].metric = "one.latency_p50_ns";
  s.expect[0].at_least = 1;
  s.expect[1].metric = "gpu1-rc.up.payload_bytes";
  s.expect[1].at_least = 1;
  std::vector<int> asked;
  const auto played = play_sockets(s, on_cpu(asked), 2, 5);
  EXPECT_TRUE(played.right);
  EXPECT_THAT(asked, ElementsAre(1));
  EXPECT_EQ(played.results.traffic[0].latency.count(), 5);
  ASSERT_EQ(played.results.expectations.size(), 1u);
  EXPECT_EQ(played.results.expectations[0].verdict, observe::Verdict::ok);
  EXPECT_THAT(played.unjudged, ElementsAre("gpu1-rc.up.payload_bytes"));
}

TEST(RunSockets, AStreamGoesFromGpuToGpu) {
  auto s = sockets(scenario::SocketPattern::stream, "p0");
  s.traffic[0].sizes = {1_MiB};
  std::vector<int> asked;
  const auto played = play_sockets(s, on_cpu(asked), 2, 1);
  EXPECT_TRUE(played.right);
  EXPECT_THAT(asked, ElementsAre(0, 1));
  EXPECT_EQ(played.results.traffic[0].delivered_payload, 99_MiB);
}

TEST(RunSockets, SaysWhatItDoesNotPlay) {
  EXPECT_TRUE(not_played(sockets(scenario::SocketPattern::echo, "dram")).empty());
  EXPECT_THAT(not_played(sockets(scenario::SocketPattern::face_server, "dram")), ElementsAre(HasSubstr("faces.py")));
  EXPECT_THAT(not_played(sockets(scenario::SocketPattern::echo, "p0")), ElementsAre(HasSubstr("program of the CPU")));
  EXPECT_FALSE(is_of_sockets(scenario::Scenario{}));
}

}  // namespace
}  // namespace peerpath::cli
