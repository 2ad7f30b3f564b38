// What waits at a router for posted TLPs that came before it, while others of these are computed far ahead: it starts
// when the ones that it waits for have left, as the reference says.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using pcie::Operation;

constexpr ChannelIndex writes{1}, reads{2};

/// Four endpoints below one switch, as a mode computes what they send. The link to `slow` is.
struct Four : DeliverySink {
  Topology topology;
  NodeId near, from, slow, fast;
  std::vector<std::vector<std::int64_t>> done;  ///< by requester
  std::unique_ptr<Fabric> fabric;

  explicit Four(Mode mode, int credits = 0) {
    const NodeId node = topology.add_router("switch", {100ns});
    Endpoint e;
    e.channels = 2;
    e.max_payload = 128_B;
    e.max_read_request = 1_KiB;
    e.max_completion = 64_B;
    e.read_latency = 100ns;
    e.service[1] = {40ns, {}};
    const LinkDirection line{.rate = 32_Gbps, .propagation = 10ns, .update_fc = 20ns};
    LinkDirection down = line;
    down.credits[1].header = credits;
    down.rate = 8_Gbps;
    for (NodeId* n : {&near, &from, &slow, &fast}) {
      *n = topology.add_endpoint("e", e);
      topology.connect(*n, node, line, down);
      down.rate = n == &from ? 2_Gbps : 32_Gbps;
    }
    done.resize(topology.nodes.size());
    fabric = make_fabric(topology, *this, mode);
  }
  void deliver(const Delivery& d) override {
    auto& own = done[d.requester.value()];
    own.resize(std::max<std::size_t>(own.size(), d.cookie + 1));
    own[d.cookie] = femtoseconds(d.done);
  }
  void submit(NodeId requester, NodeId target, Operation op, Bytes bytes, Duration ready) {
    auto& own = done[requester.value()];
    own.push_back(-1);
    fabric->submit(requester, op == Operation::memory_read ? reads : writes,
                   {.cookie = own.size() - 1, .target = target, .op = op, .bytes = bytes, .ready = Instant{ready}});
  }
  std::vector<std::int64_t> queueing() {
    std::vector<std::int64_t> all;
    for (std::uint16_t link = 0; link < 4; ++link)
      for (const int direction : {0, 1}) all.push_back(fabric->counters(LinkId{link}, direction).queueing.count());
    return all;
  }
};

/// Plays it in all modes and expects them to be the same.
template <class Load>
void play(int credits, const Load& load) {
  Four expected{Mode::event, credits}, train{Mode::train, credits};
  for (Four* four : {&expected, &train}) {
    load(*four);
    four->fabric->advance(Instant{100us});
    EXPECT_EQ(expected.done, four->done);
    EXPECT_EQ(expected.queueing(), four->queueing());
  }
}

TEST(Marks, CompletionsBehindWritesThatCompete) {
  for (Duration ready{}; ready < 600ns; ready += 20ns) {
    SCOPED_TRACE(ready.count());
    play(0, [&](Four& four) {
      four.submit(four.near, four.from, Operation::memory_read, 4_KiB, 0ns);
      four.submit(four.near, four.slow, Operation::memory_write, 8_KiB, 100ns);
      for (int i = 0; i < 12; ++i) four.submit(four.from, four.slow, Operation::memory_write, 128_B, ready + i * 200ns);
    });
  }
}

TEST(Marks, ReadsBehindAWriteThatAnotherOneFollows) {
  for (Duration ready{}; ready < 600ns; ready += 20ns) {
    SCOPED_TRACE(ready.count());
    play(1, [&](Four& four) {
      four.submit(four.from, four.near, Operation::memory_read, 1_KiB, 0ns);
      four.submit(four.from, four.slow, Operation::memory_write, 128_B, 15ns);
      four.submit(four.from, four.near, Operation::memory_read, 1_KiB, 40ns);
      four.submit(four.from, four.fast, Operation::memory_write, 128_B, ready);
    });
  }
}

}  // namespace
}  // namespace peerpath::fabric
