// A platform of one's own: a TLM-2.0 initiator writes into a GPU and into a foreign memory through a PCIe switch.
#include <iostream>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

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
  int failures = 0;
  SC_HAS_PROCESS(MyInitiator);
  MyInitiator(const sc_core::sc_module_name& name, std::vector<std::uint64_t> targets)
      : sc_core::sc_module{name}, addresses{std::move(targets)} {
    SC_THREAD(run);
  }
  void run() {
    for (const auto address : addresses) {
      std::array<unsigned char, 256> data{}, back{};
      data.fill(0x5a);
      transfer(tlm::TLM_WRITE_COMMAND, address, data);
      transfer(tlm::TLM_READ_COMMAND, address, back);
      failures += back != data;
    }
  }
  void transfer(tlm::tlm_command command, std::uint64_t address, std::array<unsigned char, 256>& data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(data.size());
    payload.set_streaming_width(data.size());
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    failures += !payload.is_response_ok();
    std::cout << sc_core::sc_time_stamp() << (payload.is_write() ? " wrote " : " read ") << std::hex << address << "\n";
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
  bridge.port(2).out.bind(memory.socket);
  bridge.port(2).windows = {{0x8000'0000, 0x1000}};
  sc_core::sc_start(sc_core::sc_time{100, sc_core::SC_US});
  std::cout << (initiator.failures == 0 ? "all data came back\n" : "data was lost\n");
  return initiator.failures == 0 ? 0 : 1;
}
