// Transfers that a device makes by its own DMA, in a run.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "peerpath/pcie/tlp.hpp"
#include "platform/device.hpp"
#include "platform/kind_setup.hpp"
#include "traffic/dma/config.hpp"
#include "transport/traffic/dma_source.hpp"

namespace peerpath::platform {

/// The entries of one kind. Each leg of an entry is a stream of the engine of its device, or a source of its own there.
class DmaSetup final : public KindSetup {
 public:
  /// `atomic`: reads are atomic operations.
  DmaSetup(SetupContext& context, pcie::Operation op, bool atomic = false)
      : context_{context}, op_{op}, atomic_{atomic} {}

  void add(std::size_t entry) override;
  std::vector<const transport::DmaSource*> sources(std::size_t entry) const override;

 private:
  /// One leg of an entry, and its number among these.
  struct Transfers {
    std::size_t entry, number;
    const scenario::traffic::Leg& leg;
    const scenario::traffic::Dma& dma;
    std::int64_t count;  ///< 0: without end
  };
  void start(const Transfers& transfers);
  transport::DmaPattern pattern_of(const Transfers& transfers, std::uint64_t address) const;
  void start_source(const Transfers& transfers, transport::DmaPattern pattern);

  SetupContext& context_;
  pcie::Operation op_;
  bool atomic_;
  std::vector<std::shared_ptr<gpu::Bar1Pieces>> pieces_;
  std::map<std::size_t, std::vector<std::unique_ptr<transport::DmaSource>>> sources_;  ///< by entry
};

}  // namespace peerpath::platform
