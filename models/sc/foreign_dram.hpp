// A foreign TLM-2.0 memory in the place of a host's DRAM.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <tlm>

#include "peerpath/sc/domain.hpp"
#include "peerpath/sc/outlet.hpp"

namespace peerpath::sc {

class BlockingCaller;
class ForeignEndpoint;

/// Answers for the node of a host's memory, which it shares with the host's cores: interrupts are theirs.
class ForeignDram final : public tlm::tlm_bw_transport_if<> {
 public:
  ForeignDram(Domain& domain, fabric::NodeId node, const std::string& caller_name, const TargetOptions& options);
  ~ForeignDram() override;

  /// Takes over the node; before the end of elaboration. `target` is asked when it is first needed.
  void attach(std::function<tlm::tlm_fw_transport_if<>*()> target);

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

  Domain& domain_;
  fabric::NodeId node_;
  TargetOptions options_;
  std::unique_ptr<BlockingCaller> caller_;
  std::unique_ptr<ForeignEndpoint> endpoint_;
};

}  // namespace peerpath::sc
