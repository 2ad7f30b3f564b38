// Calls b_transport of foreign targets from a process, as only a process may wait in it.
#pragma once

#include <deque>
#include <functional>
#include <systemc>
#include <tlm>

namespace peerpath::sc {

/// Makes blocking requests to one target, in the order in which they are asked for.
class BlockingCaller final : public sc_core::sc_module {
 public:
  using Done = std::function<void(sc_core::sc_time)>;  ///< with what the target says to add to the present

  explicit BlockingCaller(const sc_core::sc_module_name& name);

  void call(tlm::tlm_fw_transport_if<>& target, tlm::tlm_generic_payload& payload, Done done);

 private:
  void run();

  struct Call {
    tlm::tlm_fw_transport_if<>* target;
    tlm::tlm_generic_payload* payload;
    Done done;
  };
  std::deque<Call> calls_;
  sc_core::sc_event asked_;
};

}  // namespace peerpath::sc
