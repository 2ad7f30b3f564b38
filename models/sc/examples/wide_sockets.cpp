// Sockets of other widths: a memory controller with a 64-bit multi_passthrough socket, as DRAM simulators have it, and
// a 128-bit initiator.
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <iostream>

#include "peerpath/sc/access.hpp"
#include "peerpath/sc/modules.hpp"
#include "peerpath/sc/time.hpp"

namespace sc = peerpath::sc;

/// It has b_transport alone, and addresses from 0.
struct Controller : sc_core::sc_module {
  tlm_utils::multi_passthrough_target_socket<Controller, 64> socket{"socket"};
  std::array<unsigned char, 8192> bytes{};
  explicit Controller(const sc_core::sc_module_name& name) : sc_core::sc_module{name} {
    socket.register_b_transport(this, &Controller::access);
  }
  void access(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    auto* here = bytes.data() + payload.get_address();
    if (payload.is_write()) std::copy_n(payload.get_data_ptr(), payload.get_data_length(), here);
    if (payload.is_read()) std::copy_n(here, payload.get_data_length(), payload.get_data_ptr());
    delay += sc_core::sc_time{60, sc_core::SC_NS};
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Master : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Master, 128> socket{"socket"};
  bool right = false;
  SC_HAS_PROCESS(Master);
  explicit Master(const sc_core::sc_module_name& name) : sc_core::sc_module{name} { SC_THREAD(run); }
  void run() {
    std::vector<unsigned char> data(4096), back(4096);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i % 251);
    right = sc::write(socket, 0x8000'0100, data) && sc::read(socket, 0x8000'0100, back) && back == data;
    std::cout << "written and read by " << sc_core::sc_time_stamp() << "\n";
  }
};

int sc_main(int, char**) {
  sc::set_femtosecond_resolution();
  sc::Domain pcie{"pcie"};
  sc::PcieSwitch bridge{"bridge", pcie, 2};
  Controller controller{"controller"};
  Master master{"master"};
  bridge.port(0).bind(master.socket);
  bridge.port(1).bind(controller.socket, {.base = 0x8000'0000, .size = 8192},
                      {.blocking = true, .line = 64, .offsets = true});
  sc_core::sc_start(sc_core::sc_time{100, sc_core::SC_US});
  std::cout << (master.right ? "all data came back\n" : "data was lost\n");
  return master.right ? 0 : 1;
}
