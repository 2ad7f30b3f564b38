// Seven fitted constants of the benchmark card, three of a host, and six of what windows, caches, sockets and address
// translation do. Everything else is read or derived.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::pcie_bench {

/// The defaults are where a fit starts. Times in nanoseconds: the optimiser's variables. They become whole femtoseconds
/// before anything is simulated.
struct CardConstants {
  double command = 4.5;
  double chunk = 16.6;
  double read_beat = 5.1;
  double turnaround = 100.0;
  double setup = 37.0;
  double tlp_gap = 16.0;
  double command_path = 0.0;
};

/// Completions of reads longer than one MPS are cut at multiples of `completion_step` bytes; `refresh` is read off.
struct HostConstants {
  double read_latency = 300.0;
  double completion_step = 256.0;
  double refresh = 350.0;
};

/// Of one machine each.
struct EffectConstants {
  double iotlb_entries = 64;
  double walk_latency = 290;
  double walk_interval = 48;
  double write_walk_interval = 45;
  double cold_miss = 50;
  double remote_hop = 50;
};

template <class Owner>
struct Constant {
  std::string_view name;
  std::string_view unit;
  double Owner::*member;
  std::string_view meaning;
  double least, most;
};

inline constexpr std::array<Constant<CardConstants>, 7> card_constants{{
    {"command", "ns", &CardConstants::command,
     "one internal command: a transfer has one or two, a completion TLP taken in one", 0, 20},
    {"chunk", "ns", &CardConstants::chunk, "moving 128 B from card memory for a write, or into it after a read", 1, 60},
    {"read_beat", "ns", &CardConstants::read_beat, "32 B on the card's internal bus, as reads pass it", 0, 20},
    {"turnaround", "ns", &CardConstants::turnaround, "from a DMA write done to the read that depends on it", 0, 400},
    {"setup", "ns", &CardConstants::setup, "posting a DMA read and being told that it is done, while others go on", 0,
     400},
    {"tlp_gap", "B", &CardConstants::tlp_gap, "line time that the card leaves idle after each TLP that it sends", 0,
     64},
    {"command_path", "ns", &CardConstants::command_path,
     "how much shorter the command interface's way is than the DMA engine's", -400, 400},
}};

inline constexpr std::array<Constant<HostConstants>, 3> host_constants{{
    {"read_latency", "ns", &HostConstants::read_latency, "root complex: read request taken in to its first data", 0,
     5000},
    {"completion_step", "B", &HostConstants::completion_step,
     "root complex: addresses at which completions of more than one MPS are cut", 64, 256},
    {"refresh", "ns", &HostConstants::refresh, "DRAM: a rank serves nothing while it is refreshed", 0, 1000},
}};

inline constexpr std::array<Constant<EffectConstants>, 6> effect_constants{{
    {"iotlb_entries", "1", &EffectConstants::iotlb_entries, "IOMMU: pages that the IOTLB holds", 1, 65536},
    {"walk_latency", "ns", &EffectConstants::walk_latency, "IOMMU: from a miss to its translation", 0, 5000},
    {"walk_interval", "ns", &EffectConstants::walk_interval, "IOMMU: from one walk's start to the next one's", 0, 5000},
    {"write_walk_interval", "ns", &EffectConstants::write_walk_interval,
     "IOMMU: from one walk's start to the next, posted writes", 0, 5000},
    {"cold_miss", "ns", &EffectConstants::cold_miss, "line that the last-level cache does not hold", 0, 1000},
    {"remote_hop", "ns", &EffectConstants::remote_hop, "line of the other socket's memory, beside cold_miss", 0, 1000},
}};

}  // namespace peerpath::pcie_bench
