// A foreign component between two of our modules: a monitor before host memory, through which all DMA of a NIC goes.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <iostream>

#include "peerpath/sc/modules.hpp"
#include "peerpath/sc/time.hpp"

namespace sc = peerpath::sc;
using namespace peerpath::literals;

/// Takes 25 ns for each request. It passes the payload itself on, so its extensions stay.
struct Monitor : sc_core::sc_module {
  tlm_utils::simple_target_socket<Monitor, 64> from_devices{"from_devices"}, from_memory{"from_memory"};
  tlm_utils::simple_initiator_socket<Monitor, 64> to_devices{"to_devices"}, to_memory{"to_memory"};
  long read = 0, written = 0, doorbells = 0;
  explicit Monitor(const sc_core::sc_module_name& name) : sc_core::sc_module{name} {
    from_devices.register_b_transport(this, &Monitor::inbound);
    from_memory.register_b_transport(this, &Monitor::outbound);
  }
  void inbound(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    (payload.is_read() ? read : written) += payload.get_data_length();
    delay += sc_core::sc_time{25, sc_core::SC_NS};
    to_memory->b_transport(payload, delay);
  }
  void outbound(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++doorbells;
    delay += sc_core::sc_time{25, sc_core::SC_NS};
    to_devices->b_transport(payload, delay);
  }
};

int sc_main(int, char**) {
  sc::set_femtosecond_resolution();
  sc::Domain pcie{"pcie"};
  sc::RootComplex root{"root", pcie, 1};
  sc::HostMemory memory{"memory", pcie};
  Monitor monitor{"monitor"};
  sc::HostCpu cpu{"cpu", pcie, memory};
  sc::Nic nic{"nic", pcie, memory};
  root.memory.bind_through(memory.port, monitor.from_devices, monitor.to_memory, monitor.from_memory,
                           monitor.to_devices, {.internal = true});
  root.port(0).bind(nic.pcie, {.shape = {.generation = 5, .width = 16}});
  cpu.send(nic, {.queue = 0, .packet = 4096_B, .interval = std::chrono::microseconds{5}});
  sc_core::sc_start(sc_core::sc_time{1, sc_core::SC_MS});
  std::cout << monitor.read << " bytes read, " << monitor.written << " written, " << monitor.doorbells
            << " doorbells\n";
  const bool right = monitor.read > 190 * 4096 && monitor.written > 0 && monitor.doorbells > 10;
  std::cout << (right ? "the NIC sent through the monitor\n" : "the NIC did not come through\n");
  return right ? 0 : 1;
}
