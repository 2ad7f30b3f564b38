// A host whose DRAM is a foreign TLM-2.0 memory: a NIC's rings and the payload that it sends are in it.
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/peq_with_get.h>
#include <iostream>

#include "peerpath/sc/modules.hpp"
#include "peerpath/sc/time.hpp"

namespace sc = peerpath::sc;
using namespace peerpath::literals;

/// Stands for a DRAM simulator: takes a cache line every 3 ns, answers 80 ns later.
struct Dram : sc_core::sc_module {
  tlm_utils::multi_passthrough_target_socket<Dram> socket{"socket"};
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> queue{"queue"};
  long reads = 0, writes = 0;
  SC_HAS_PROCESS(Dram);
  explicit Dram(const sc_core::sc_module_name& name) : sc_core::sc_module{name} {
    socket.register_nb_transport_fw(this, &Dram::request);
    SC_METHOD(answer);
    dont_initialize();
    sensitive << queue.get_event();
  }
  tlm::tlm_sync_enum request(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    payload.acquire();
    ++(payload.is_write() ? writes : reads);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    queue.notify(payload, delay + sc_core::sc_time{80, sc_core::SC_NS});
    phase = tlm::END_REQ;
    delay += sc_core::sc_time{3, sc_core::SC_NS};
    return tlm::TLM_UPDATED;
  }
  void answer() {
    while (auto* payload = queue.get_next_transaction()) {
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket[0]->nb_transport_bw(*payload, phase, delay);
      payload->release();
    }
  }
};

int sc_main(int, char**) {
  sc::set_femtosecond_resolution();
  sc::Domain pcie{"pcie"};
  sc::RootComplex root{"root", pcie, 1};
  sc::HostMemory memory{"memory", pcie, {.size = 8_GiB}};
  Dram dram{"dram"};
  sc::HostCpu cpu{"cpu", pcie, memory};
  sc::Nic nic{"nic", pcie, memory};
  memory.bind(dram.socket);
  root.memory.bind(memory.port, {.internal = true});
  root.port(0).bind(nic.pcie, {.shape = {.generation = 5, .width = 16}});
  cpu.send(nic, {.queue = 0, .packet = 4096_B, .interval = std::chrono::microseconds{1}});
  sc_core::sc_start(sc_core::sc_time{1, sc_core::SC_MS});
  std::cout << dram.reads << " reads and " << dram.writes << " writes of cache lines\n";
  const bool right = dram.reads > 900 * 64 && dram.writes > 0;  // 4 KiB each us, and the rings
  std::cout << (right ? "rings and payload were in the foreign memory\n" : "the NIC did not use it\n");
  return right ? 0 : 1;
}
