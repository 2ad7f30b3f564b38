// Plays a schedule on servers with links, joined by a carrier that takes the same time for each message; for tests.
#pragma once

#include <numeric>

#include "collective/instant_carrier.hpp"
#include "collective/player.hpp"
#include "collective/server_links.hpp"
#include "peerpath/base/fail.hpp"

namespace peerpath::collective::testing {

struct RigResult {
  Duration took{};
  ServerLinks::Use use{};  ///< summed over ranks
  Bytes outside{};         ///< that the carrier was given
};

inline RigResult play_on_servers(const Schedule& schedule, std::uint32_t ranks, const ServerConfig& servers,
                                 Duration outside, const PlayerConfig& player = {}) {
  InstantCarrier carrier{outside};
  ServerLinks links{servers, ranks, 1,
                    [&](Instant when, std::size_t number) { carrier.wake(when, static_cast<std::uint32_t>(number)); }};
  std::vector<HostIndex> hosts(ranks);
  std::iota(hosts.begin(), hosts.end(), 0u);
  Player played{links.carrier(0, carrier.carrier()), schedule, hosts, player};
  const auto arrived = [&](auto channel, auto number, Instant now) { played.arrived(channel, number, now); };
  const auto acknowledged = [&](auto channel, auto number, Instant now) { played.acknowledged(channel, number, now); };
  carrier.arrived = links.arrived = arrived;
  links.acknowledged = acknowledged;
  carrier.acknowledged = [&](auto channel, auto number, Instant now) {
    links.heard(channel, now);
    acknowledged(channel, number, now);
  };
  carrier.timed = [&](std::uint32_t number, Instant now) { links.timed(number, now); };
  played.start(Instant{});
  carrier.run();
  require(played.over(), "a schedule did not finish");
  return {played.ended() - Instant{}, links.use_of(0), carrier.posted};
}

}  // namespace peerpath::collective::testing
