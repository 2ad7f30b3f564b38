// A platform of one's own: a TLM-2.0 initiator writes into a GPU and into a foreign memory through a PCIe switch.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <iostream>

#include "peerpath/sc/access.hpp"
#include "peerpath/sc/modules.hpp"
#include "peerpath/sc/time.hpp"

namespace sc = peerpath::sc;

struct MyMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<MyMemory> socket{"socket"};
  std::array<unsigned char, 4096> bytes{};
  explicit MyMemory(const sc_core::sc_module_name& name) : sc_core::sc_module{name} {
    socket.register_b_transport(this, &MyMemory::access);
  }
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    auto* here = bytes.data() + payload.get_address() % bytes.size();
    if (payload.is_write()) std::copy_n(payload.get_data_ptr(), payload.get_data_length(), here);
    if (payload.is_read()) std::copy_n(here, payload.get_data_length(), payload.get_data_ptr());
    delay += sc_core::sc_time{200, sc_core::SC_NS};
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct MyInitiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<MyInitiator> socket{"socket"};
  std::vector<std::uint64_t> addresses;
  bool right = true;
  SC_HAS_PROCESS(MyInitiator);
  MyInitiator(const sc_core::sc_module_name& name, std::vector<std::uint64_t> targets)
      : sc_core::sc_module{name}, addresses{std::move(targets)} {
    SC_THREAD(run);
  }
  void run() {
    for (const auto address : addresses) {
      std::vector<unsigned char> data(256, 0x5a), back(256);
      right &= sc::write(socket, address, data) && sc::read(socket, address, back) && back == data;
      std::cout << "0x" << std::hex << address << " by " << sc_core::sc_time_stamp() << "\n";
    }
  }
};

int sc_main(int, char**) {
  sc::set_femtosecond_resolution();
  sc::Domain pcie{"pcie"};
  sc::PcieSwitch bridge{"bridge", pcie, 3};
  sc::Gpu gpu{"gpu", pcie};
  MyMemory memory{"memory"};
  MyInitiator initiator{"initiator", {gpu.memory().value() + 0x1000, 0x8000'0000}};
  initiator.socket.bind(bridge.port(0).in);
  bridge.port(1).bind(gpu.pcie, {.shape = {.generation = 5, .width = 16}});
  bridge.port(2).bind(memory.socket, {.base = 0x8000'0000, .size = 4096});
  sc_core::sc_start(sc_core::sc_time{100, sc_core::SC_US});
  std::cout << (initiator.right ? "all data came back\n" : "data was lost\n");
  return initiator.right ? 0 : 1;
}
