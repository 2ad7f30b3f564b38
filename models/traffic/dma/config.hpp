// Options that traffic by a device's own DMA has.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::scenario {

/// Where the next transfer of a device's own DMA goes.
enum class Addresses : std::uint8_t {
  in_turn,  ///< behind the one before it
  random,   ///< any place of its window: a multiple of its size in whole lines of 64 B, each as likely as the others
};
constexpr std::array<EnumName<Addresses>, 2> enum_names(Addresses) {
  return {{{"in_turn", Addresses::in_turn}, {"random", Addresses::random}}};
}

}  // namespace peerpath::scenario

namespace peerpath::scenario::traffic {

/// What traffic by a device's own DMA has.
struct Dma {
  Bytes bytes{};
  Bytes window = 64_MiB;
  Bytes offset{};
  Addresses addresses = Addresses::in_turn;
  int traffic_class = 0;
  std::optional<int> outstanding{};

  static constexpr auto fields() {
    return std::tuple{
        field("bytes", &Dma::bytes,
              "payload after which the entry ends, a multiple of the transfer size; the run ends with its last entry. "
              "0B: endless")
            .at_least(0_B),
        field("offset", &Dma::offset,
              "distance of the window from a 4 KiB boundary. 1B to 63B: unaligned buffers, whose requests are split at "
              "other places and carry partial lines")
            .at_least(0_B)
            .at_most(4095_B),
        field("window", &Dma::window, "size of the address range that transfers are spread over").at_least(4_KiB),
        field("addresses", &Dma::addresses, "order of addresses within the window"),
        field("traffic_class", &Dma::traffic_class,
              "traffic class of the TLPs; links with `vc1` map it to a virtual channel")
            .at_least(0)
            .at_most(7),
        field("outstanding", &Dma::outstanding,
              "transfers in flight; for kernels of a GPU, the number of warps with one transfer each. Absent: the "
              "device's own limit")
            .at_least(1)
            .at_most(65536)};
  }
};

}  // namespace peerpath::scenario::traffic
