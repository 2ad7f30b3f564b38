#include "sc/blocking_caller.hpp"

#include <utility>

namespace peerpath::sc {

BlockingCaller::BlockingCaller(const sc_core::sc_module_name& name) : sc_core::sc_module{name} {
  SC_HAS_PROCESS(BlockingCaller);
  SC_THREAD(run);
}

void BlockingCaller::call(tlm::tlm_fw_transport_if<>& target, tlm::tlm_generic_payload& payload, Done done) {
  calls_.push_back({&target, &payload, std::move(done)});
  asked_.notify(sc_core::SC_ZERO_TIME);
}

void BlockingCaller::run() {
  while (true) {
    while (calls_.empty()) wait(asked_);
    const auto call = std::move(calls_.front());
    calls_.pop_front();
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    call.target->b_transport(*call.payload, delay);
    call.done(delay);
  }
}

}  // namespace peerpath::sc
