// The tests of pcie-bench (R. Neugebauer et al., SIGCOMM 2018), played on the fabric with the card model.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "peerpath/base/field.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/pcie/link_shape.hpp"
#include "validation/pcie_bench/constants.hpp"

namespace peerpath::pcie_bench {

enum class Test : std::uint8_t {
  lat_dma_read,
  lat_dma_write_read,
  lat_cmd_read,
  lat_cmd_write_read,
  bw_read,
  bw_write,
  bw_both
};

constexpr std::array<EnumName<Test>, 7> enum_names(Test) {
  return {{{"LAT_DMA_RD", Test::lat_dma_read},
           {"LAT_DMA_WRRD", Test::lat_dma_write_read},
           {"LAT_CMD_RD", Test::lat_cmd_read},
           {"LAT_CMD_WRRD", Test::lat_cmd_write_read},
           {"BW_DMA_RD", Test::bw_read},
           {"BW_DMA_WR", Test::bw_write},
           {"BW_DMA_RW", Test::bw_both}}};
}

constexpr bool is_latency(Test test) { return test <= Test::lat_cmd_write_read; }

/// What the host's lspci dump and kernel command line say: not fitted.
struct Setup {
  pcie::LinkShape link{3, 8};
  Bytes max_payload{256};
  Bytes max_read_request{512};
  int tags = 32;           ///< ExtTag-: five bits
  bool card_ecrc = false;  ///< ECRC generation enabled
  bool host_ecrc = false;
  bool iommu = false;             ///< then bus addresses lie below 4 GiB and requests have short headers
  bool super_pages = true;        ///< IOTLB entries of 2 MiB, else of 4 KiB
  bool remote_memory = false;     ///< the buffer is at the other socket
  Bytes cache{};                  ///< last-level cache of the card's socket; 0: not known
  int cache_ways = 20;            ///< Xeon E5-2600 (v1, v3, v4): 20 ways of 2.5 MB slices
  std::string_view cache_from{};  ///< where both are from
  bool card_warms = true;         ///< a window that the card has written before a test is in the cache then
                           ///< (`read_card_warms`); where it is not, nor are the lines that the command interface reads
};

/// A rank of DRAM is refreshed every 7.8 us (JESD79-3 and -4, tREFI).
inline constexpr Duration refresh_interval = std::chrono::nanoseconds{7800};

/// One test at one transfer size on an 8 KiB window.
struct Case {
  Test test{};
  Bytes size{};
  friend bool operator==(const Case&, const Case&) = default;
};

/// What pcie-bench does to the host's caches before a test, after it has thrashed them.
enum class CacheState : std::uint8_t {
  cold,  ///< nothing
  warm,  ///< the host writes the window
};

constexpr std::array<EnumName<CacheState>, 2> enum_names(CacheState) {
  return {{{"Cold", CacheState::cold}, {"HWarm", CacheState::warm}}};
}

/// One test at one transfer size on random places of a window.
struct Sweep {
  Case which;
  Bytes window{};
  CacheState cache = CacheState::warm;
  friend bool operator==(const Sweep&, const Sweep&) = default;
};

/// Latency in nanoseconds, or payload in Gb/s (per direction, for bw_both). `cold_miss` is what the command interface's
/// reads take longer where the host's preparation left their lines in no cache.
double play(const Case& which, const Setup& setup, const CardConstants& card, const HostConstants& host,
            double cold_miss = EffectConstants{}.cold_miss);

/// The same with the caches, the socket and the address translation of the host.
double play(const Sweep& sweep, const Setup& setup, const CardConstants& card, const HostConstants& host,
            const EffectConstants& effects);

}  // namespace peerpath::pcie_bench
