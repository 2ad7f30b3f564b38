// Debug transport loads a GPU's memory before time begins; a fast initiator reads it by a pointer (DMI), keeping the
// latency that the domain says.
#include <tlm_utils/simple_initiator_socket.h>
#include <iostream>
#include <numeric>

#include "peerpath/sc/access.hpp"
#include "peerpath/sc/modules.hpp"
#include "peerpath/sc/time.hpp"

namespace sc = peerpath::sc;

struct FastCore : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<FastCore, 64> socket{"socket"};
  std::uint64_t base;
  bool right = false;
  SC_HAS_PROCESS(FastCore);
  FastCore(const sc_core::sc_module_name& name, std::uint64_t base) : sc_core::sc_module{name}, base{base} {
    SC_THREAD(run);
  }
  /// A loader: no simulated time passes, no byte crosses a link.
  void start_of_simulation() override {
    std::array<unsigned char, 100> image{};
    std::iota(image.begin(), image.end(), static_cast<unsigned char>(1));
    tlm::tlm_generic_payload payload;
    payload.set_write();
    payload.set_address(base);
    payload.set_data_ptr(image.data());
    payload.set_data_length(100);
    std::cout << "loaded " << socket->transport_dbg(payload) << " bytes\n";
  }
  void run() {
    std::array<unsigned char, 1> first{};
    right = sc::read(socket, base, first) && first[0] == 1;
    const auto by_link = sc_core::sc_time_stamp();
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(base);
    tlm::tlm_dmi dmi;
    right &= socket->get_direct_mem_ptr(payload, dmi) && dmi.is_read_allowed();
    if (!right) return;
    const auto* bytes = dmi.get_dmi_ptr() + (base - dmi.get_start_address());
    int sum = 0;
    for (int i = 0; i < 100; ++i) sum += bytes[i];
    right &= sum == 5050;
    wait(dmi.get_read_latency());
    std::cout << "a read takes " << by_link << " by the link, " << dmi.get_read_latency() << " by the pointer\n";
  }
};

int sc_main(int, char**) {
  sc::set_femtosecond_resolution();
  sc::Domain pcie{"pcie"};
  sc::PcieSwitch bridge{"bridge", pcie, 2};
  sc::Gpu gpu{"gpu", pcie};
  FastCore core{"core", gpu.memory().value()};
  bridge.port(0).bind(core.socket);
  bridge.port(1).bind(gpu.pcie);
  sc_core::sc_start(sc_core::sc_time{100, sc_core::SC_US});
  std::cout << (core.right ? "the pointer showed the loaded data\n" : "the pointer showed other data\n");
  return core.right ? 0 : 1;
}
