// Readers of execution traces on any bytes, and what they accept played to its end; nothing touches the disk.
#include <cstddef>
#include <cstdint>
#include <string>

#include "collective/instant_carrier.hpp"
#include "collective/workload_player.hpp"
#include "peerpath/base/fail.hpp"
#include "scenario/network/execution_trace/chakra.hpp"
#include "scenario/network/execution_trace/join.hpp"
#include "scenario/network/execution_trace/plain.hpp"

namespace {

using namespace peerpath;
using namespace peerpath::network_scenario;

constexpr std::int64_t ranks = 3;

/// The same trace at all ranks; whom a message goes to and comes from is counted from the rank on.
std::vector<RankTrace> at_all(const RankTrace& trace) {
  std::vector<RankTrace> out;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    out.push_back(trace);
    for (auto& node : out.back().nodes) {
      if (node.comm_dst > 0 && node.comm_dst < ranks) node.comm_dst = (rank + node.comm_dst) % ranks;
      if (node.comm_src > 0 && node.comm_src < ranks) node.comm_src = (rank + ranks - node.comm_src) % ranks;
    }
  }
  return out;
}

void play(const collective::Workload& job, const JoinOptions& options) {
  collective::testing::InstantCarrier carrier{std::chrono::microseconds{3}};
  collective::WorkloadPlayer player{
      carrier.carrier(), job,
      {0, 1, 2},         {.admitted = options.cleared ? 2 : 0},
      options.config,    [&](Instant when, std::uint32_t number) { carrier.wake(when, number); }};
  carrier.arrived = [&](auto channel, auto number, Instant now) { player.arrived(channel, number, now); };
  carrier.acknowledged = [&](auto channel, auto number, Instant now) { player.acknowledged(channel, number, now); };
  carrier.timed = [&](std::uint32_t number, Instant now) { player.timed(number, now); };
  player.start(Instant{});
  carrier.run();
  require(player.over(), "a job that was accepted does not come to its end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(bytes), size};
  auto trace = read_chakra(text, "fuzz.et");
  if (!trace) {
    require(!trace.error().empty(), "refused without a reason");
    trace = read_plain(text, "fuzz.json");
  }
  if (!trace || trace->nodes.size() > 300) return 0;
  for (const bool cleared : {false, true}) {
    const JoinOptions options{
        {.all_reduce = cleared ? collective::Algorithm::tree : collective::Algorithm::ring, .slices = 2}, cleared};
    const auto job = join(at_all(*trace), options);
    if (job) play(*job, options);
    require(job || !job.error().empty(), "refused without a reason");
  }
  return 0;
}
