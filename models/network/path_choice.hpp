// Which of several equal ways a packet takes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "network/graph.hpp"
#include "network/packet.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::network {

/// How a switch spreads packets over equal-cost ports.
enum class PathChoice : std::uint8_t {
  ecmp,       ///< hash of the 5-tuple
  ecmp_qp,    ///< of the 5-tuple and the destination queue pair (E-ECMP: a user-defined field in the hash)
  pinned,     ///< by the destination's place at its leaf, which no hash spreads or collides (path pinning)
  spray,      ///< packets in turn
  flowlet,    ///< of the 5-tuple anew for each flowlet, as LetFlow draws ways (flowlets.hpp)
  polarised,  ///< as ecmp, with the same seed in all switches: the choices of two tiers are no longer independent
};
constexpr std::array<EnumName<PathChoice>, 6> enum_names(PathChoice) {
  return {{{"ecmp", PathChoice::ecmp},
           {"ecmp_qp", PathChoice::ecmp_qp},
           {"pinned", PathChoice::pinned},
           {"spray", PathChoice::spray},
           {"flowlet", PathChoice::flowlet},
           {"polarised", PathChoice::polarised}}};
}

/// `place`: of the destination at its leaf; `turn`: a counter of the switch, for spraying, or the number of the
/// flowlet.
inline PortIndex choose(PathChoice how, std::span<const PortIndex> ports, const Packet& packet, NodeIndex at,
                        std::uint32_t place, std::uint64_t seed, std::uint32_t& turn) {
  if (ports.size() == 1) return ports.front();
  const auto count = static_cast<std::uint32_t>(ports.size());
  const auto hashed = [&](std::uint64_t value, std::uint64_t salt) {
    const auto high = mix(value ^ mix(seed + salt)) >> 32;
    return ports[static_cast<std::size_t>(high * count >> 32)];
  };
  const std::uint64_t tuple = packet.flow_hash;
  switch (how) {
    case PathChoice::ecmp:
      return hashed(tuple, at);
    case PathChoice::ecmp_qp:
      return hashed(tuple | std::uint64_t{packet.destination_qp} << 32, at);
    case PathChoice::polarised:
      return hashed(tuple, 0);
    case PathChoice::pinned:
      return ports[place % count];
    case PathChoice::spray:
      return ports[turn++ % count];
    case PathChoice::flowlet:
      return hashed(tuple | std::uint64_t{turn} << 32, at);
  }
  return ports.front();
}

}  // namespace peerpath::network
