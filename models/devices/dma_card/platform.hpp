// A card of a platform that does DMA and nothing else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/dma_card/config.hpp"
#include "devices/dma_card/dma_card.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class Platform;

/// A card that does DMA and nothing else. Without streams it is memory behind a BAR.
class DmaCard final : public Device {
 public:
  DmaCard(const std::string& name, Domain& domain, const device::DmaCardConfig& config = {});
  BusAddress memory() const { return memory_; }
  BusAddress memory(Bytes) override { return memory_; }
  std::optional<BusAddress> open_memory() const override { return memory_; }
  Port& take_port(bool) override { return pcie; }
  std::optional<std::size_t> start(const Transfer& transfer) override;
  std::size_t stream_of(const fabric::Delivery& d) const override { return dma_card::stream_of(d.cookie); }
  std::any count(Instant now) override;
  void report(Report& report, const std::string& name, const std::any& before, const std::any& after) const override;
  /// Transfers that it makes from the start on; before the domain is complete. Returns the number of the stream.
  std::size_t add(const dma_card::Stream& stream);

 private:
  void complete();

  device::DmaCardConfig config_;
  Domain& domain_;
  BusAddress memory_;
  std::vector<dma_card::Stream> streams_;
  std::optional<dma_card::DmaCard> behaviour_;

 public:
  Port pcie;
};

}  // namespace peerpath::platform
