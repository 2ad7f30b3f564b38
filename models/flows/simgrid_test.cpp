// Shares held against SimGrid's: a judge that shares no line with them.
#include <gtest/gtest.h>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include <array>
#include <map>
#include <random>

#include "flows/fair_links.hpp"

namespace peerpath::flows {
namespace {

namespace s4u = simgrid::s4u;
using namespace literals;

struct Arrival {
  std::int64_t microseconds = 0;
  LinkIndex link = 0;
  Bytes bytes{};
};

constexpr std::array rates{400_Gbps, 100_Gbps, 50_Gbps};

std::vector<Arrival> arrivals() {
  std::mt19937 random{1};
  std::vector<Arrival> out;
  for (int i = 0; i < 2'000; ++i)
    out.push_back({static_cast<std::int64_t>(random() % 20'000), static_cast<LinkIndex>(random() % rates.size()),
                   Bytes{static_cast<std::int64_t>(1 + random() % 400'000)}});
  return out;
}

std::map<FlowIndex, double> by_fair_links(const std::vector<Arrival>& all) {
  std::map<FlowIndex, double> out;
  FairLinks links{rates};
  links.ended = [&](FlowIndex flow, Instant now) {
    out[flow] = std::chrono::duration<double>(now.time_since_epoch()).count();
  };
  links.woken = [&](std::uint64_t n, Instant) { links.start(static_cast<FlowIndex>(n), all[n].link, all[n].bytes); };
  for (std::size_t n = 0; n < all.size(); ++n) links.wake(Instant{std::chrono::microseconds{all[n].microseconds}}, n);
  links.run(Instant{std::chrono::seconds{10}});
  return out;
}

/// A pair of hosts for each link; CM02 without its factors for TCP is max-min fair.
std::map<FlowIndex, double> by_simgrid(const std::vector<Arrival>& all) {
  std::string name = "test", quiet = "--log=root.thres:critical";
  std::array<char*, 3> arguments{name.data(), quiet.data(), nullptr};
  int count = 2;
  s4u::Engine engine{&count, arguments.data()};
  for (const auto* option : {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0",
                             "network/weight-S:0", "network/latency-factor:1", "network/bandwidth-factor:1"})
    s4u::Engine::set_config(option);
  auto* zone = s4u::create_full_zone("zone");
  std::array<std::pair<s4u::Host*, s4u::Host*>, rates.size()> ends{};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    ends[i] = {zone->create_host("a" + std::to_string(i), 1)->seal(),
               zone->create_host("b" + std::to_string(i), 1)->seal()};
    const auto* link =
        zone->create_link("l" + std::to_string(i), static_cast<double>(rates[i].bps()) / 8)->set_latency(0)->seal();
    zone->add_route(ends[i].first->get_netpoint(), ends[i].second->get_netpoint(), nullptr, nullptr,
                    {s4u::LinkInRoute{link}});
  }
  zone->seal();
  std::map<FlowIndex, double> out;
  std::vector<FlowIndex> numbers(all.size());
  std::vector<s4u::CommPtr> comms(all.size());
  s4u::Activity::on_completion_cb([&](const s4u::Activity& activity) {
    out[*static_cast<const s4u::Comm&>(activity).get_data<FlowIndex>()] = s4u::Engine::get_clock();
  });
  for (FlowIndex n = 0; n < all.size(); ++n) {
    numbers[n] = n;
    simgrid::kernel::timer::Timer::set(static_cast<double>(all[n].microseconds) * 1e-6, [&, n] {
      comms[n] = s4u::Comm::sendto_init(ends[all[n].link].first, ends[all[n].link].second);
      comms[n]->set_payload_size(static_cast<std::uint64_t>(all[n].bytes.count()))->set_data(&numbers[n]);
      comms[n]->start();
    });
  }
  engine.run();
  return out;
}

/// SimGrid takes what ends within a nanosecond as one time; backlogs carry that on.
TEST(FairLinksAgainstSimGrid, TwoThousandRandomFlowsEndAtTheSameTimes) {
  const auto all = arrivals();
  const auto ours = by_fair_links(all), theirs = by_simgrid(all);
  ASSERT_EQ(ours.size(), all.size());
  ASSERT_EQ(theirs.size(), all.size());
  for (FlowIndex n = 0; n < all.size(); ++n)
    EXPECT_NEAR(ours.at(n), theirs.at(n), 100e-9) << n << " of " << all[n].bytes.count() << " bytes on " << all[n].link;
}

}  // namespace
}  // namespace peerpath::flows
