// Duration and level of detail of a network scenario.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::network_scenario {

using namespace literals;
using namespace std::chrono_literals;

/// In what detail messages cross a network.
enum class NetworkLevel : std::uint8_t {
  packets,  ///< each packet through the queues of switches
  flows     ///< each message a flow, which shares cables with others
};
constexpr std::array<EnumName<NetworkLevel>, 2> enum_names(NetworkLevel) {
  return {{{"packets", NetworkLevel::packets}, {"flows", NetworkLevel::flows}}};
}

struct RunLength {
  NetworkLevel level = NetworkLevel::packets;
  std::optional<Duration> warmup{}, measure{};  ///< found unless given (window.hpp)
  double precision = 1;
  Duration at_most = 100ms;
  int seed = 1;
  Duration patience = 200us;

  static constexpr auto fields() {
    using C = RunLength;
    return std::tuple{
        field("level", &C::level,
              "packets: every packet is queued and scheduled. flows: messages share cables max-min fairly, without "
              "queues, losses, marks or pauses; for very large networks"),
        field("warmup", &C::warmup,
              "Simulated time before counting starts. Absent: until the run is steady, or 0 where it cannot be: "
              "collectives, traces, events, and traffic that ends")
            .at_most(10s),
        field("measure", &C::measure,
              "Simulated time that counts; collectives may end it earlier. Absent: until the 95 % intervals of goodput "
              "and median latency are within `precision`. Where the run cannot be steady: until all has ended, within "
              "`at_most`, or 1ms if something never ends")
            .at_least(1us)
            .at_most(10s),
        field("precision", &C::precision,
              "Largest 95 % interval of each goodput and median latency, to either side, in percent of the value")
            .at_least(0.001)
            .at_most(100),
        field("at_most", &C::at_most,
              "Simulated time after which a run ends that looks for its warm-up or its measured window; it then warns "
              "about each value that is not steady")
            .at_least(100us)
            .at_most(10s),
        field("seed", &C::seed, "Seed of every random stream in the run").at_least(0),
        field("patience", &C::patience,
              "Time without progress in a cycle of paused queues after which it is reported as a deadlock")
            .at_least(1us)};
  }
};

}  // namespace peerpath::network_scenario
