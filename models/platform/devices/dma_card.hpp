// A card of a platform that does DMA and nothing else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/devices/dma_card/dma_card.hpp"
#include "peerpath/device/config.hpp"
#include "platform/domain.hpp"

namespace peerpath::platform {

/// A card that does DMA and nothing else. Without streams it is memory behind a BAR.
class DmaCard {
 public:
  DmaCard(const std::string& name, Domain& domain, const device::DmaCardConfig& config = {});
  DmaCard(const DmaCard&) = delete;
  DmaCard& operator=(const DmaCard&) = delete;
  fabric::NodeId node() const { return node_; }
  BusAddress memory() const { return memory_; }
  /// Transfers that it makes from the start on; before the domain is complete. Returns the number of the stream.
  std::size_t add(const dma_card::Stream& stream);

 private:
  void complete();

  device::DmaCardConfig config_;
  Domain& domain_;
  fabric::NodeId node_;
  BusAddress memory_;
  std::vector<dma_card::Stream> streams_;
  std::optional<dma_card::DmaCard> behaviour_;

 public:
  Port pcie;
};

}  // namespace peerpath::platform
