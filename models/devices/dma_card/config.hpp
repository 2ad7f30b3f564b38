// Options of a DMA card.
#pragma once

#include <optional>
#include <tuple>

#include "peerpath/base/address.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/function_config.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::device {

/// A card that does nothing but DMA: the benchmark card of pcie-bench, or a load generator.
struct DmaCardConfig {
  FunctionConfig function{};
  Bytes memory = 64_MiB;
  std::optional<BusAddress> bar_address{};
  int outstanding = 64;
  Duration read_issue = Duration{0};
  Duration write_issue = Duration{0};
  Duration command = Duration{0};
  Duration write_chunk = Duration{0};
  Duration read_beat = Duration{0};
  Duration completion = Duration{0};
  Duration store = Duration{0};
  Duration turnaround = Duration{0};
  bool ecrc = false;

  static constexpr auto fields() {
    return std::tuple{
        field("function", &DmaCardConfig::function, "PCIe function"),
        field("memory", &DmaCardConfig::memory, "Size of the memory behind its BAR; a power of two"),
        field("bar_address", &DmaCardConfig::bar_address,
              "Bus address of the BAR, a multiple of its size; absent: assigned automatically"),
        field("outstanding", &DmaCardConfig::outstanding, "Maximum number of DMA transfers in flight")
            .at_least(1)
            .at_most(65536),
        field("read_issue", &DmaCardConfig::read_issue, "Shortest interval between the starts of two reads")
            .at_most(longest_wait),
        field("write_issue", &DmaCardConfig::write_issue, "Shortest interval between the starts of two writes")
            .at_most(longest_wait),
        field("command", &DmaCardConfig::command,
              "Duration of one internal command of the DMA engine; each transfer has at least one")
            .at_most(longest_step),
        field("write_chunk", &DmaCardConfig::write_chunk, "Time to fetch 128 B of card memory for a DMA write")
            .at_most(longest_step),
        field("read_beat", &DmaCardConfig::read_beat,
              "Duration of a 32 B beat on the card's internal bus; a read of more than 64 B waits for four")
            .at_most(longest_step),
        field("completion", &DmaCardConfig::completion,
              "Processing time per completion TLP, in addition to its data at link rate")
            .at_most(longest_step),
        field("store", &DmaCardConfig::store, "Time to store 128 B of read data in card memory").at_most(longest_step),
        field("turnaround", &DmaCardConfig::turnaround,
              "Time from the end of a DMA write to the start of a dependent read")
            .at_most(longest_wait),
        field("ecrc", &DmaCardConfig::ecrc, "Adds an ECRC digest to every TLP that the card sends")};
  }
};

}  // namespace peerpath::device
