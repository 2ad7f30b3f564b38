#include "sc/foreign_dram.hpp"

#include <utility>

#include "sc/blocking_caller.hpp"
#include "sc/foreign_endpoint.hpp"

namespace peerpath::sc {

ForeignDram::ForeignDram(Domain& domain, fabric::NodeId node, const std::string& caller_name,
                         const TargetOptions& options)
    : domain_{domain}, node_{node}, options_{options} {
  if (options.blocking) caller_ = std::make_unique<BlockingCaller>(caller_name.c_str());
}
ForeignDram::~ForeignDram() = default;

void ForeignDram::attach(std::function<tlm::tlm_fw_transport_if<>*()> target) {
  domain_.endpoint(node_).external = true;
  endpoint_ = std::make_unique<ForeignEndpoint>(
      domain_, node_,
      ForeignSides{.target = std::move(target), .options = options_, .caller = caller_.get(), .alone = false});
  domain_.adopt(node_, *endpoint_);
  domain_.attach(*endpoint_, {.node = node_, .channels = 0, .only_asks = true});
}

tlm::tlm_sync_enum ForeignDram::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  return endpoint_->response(payload, phase, delay);
}

void ForeignDram::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  domain_.invalidate(node_, first, last);
}

}  // namespace peerpath::sc
