// Foreign sockets of other widths, with many connections, and targets that take the base protocol at its word.
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/peq_with_cb_and_phase.h>

#include "peerpath/sc/access.hpp"
#include "sc/test_foreign_parts.hpp"

namespace peerpath::sc {
namespace {

using namespace std::chrono_literals;

/// Something that an initiator sends along and a target answers by.
struct Mark : tlm::tlm_extension<Mark> {
  int asked = 0, answered = 0;
  tlm::tlm_extension_base* clone() const override { return new Mark{*this}; }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const Mark&>(other); }
};

/// A memory controller: END_REQ and BEGIN_RESP come later by the backward path, one response at a time. It waits for
/// END_RESP as the phase of an early completion, or by the forward path, and does not know TLM_COMPLETED.
struct Controller : sc_core::sc_module {
  explicit Controller(const sc_core::sc_module_name& name) : sc_core::sc_module{name} {
    socket.register_nb_transport_fw(this, &Controller::request);
  }
  tlm::tlm_sync_enum request(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) payload.acquire();
    queue.notify(payload, phase, delay + sc_core::sc_time{5, sc_core::SC_NS});
    return tlm::TLM_ACCEPTED;
  }
  void step(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::BEGIN_REQ) {
      EXPECT_FALSE(payload.is_dmi_allowed());
      tlm::tlm_phase end = tlm::END_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket[0]->nb_transport_bw(payload, end, delay);
      if (auto* mark = payload.get_extension<Mark>()) mark->answered = mark->asked + 1;
      longest = std::max(longest, payload.get_data_length());
      const auto at = payload.get_address();
      payload.set_address(at / 2);  // a target may do so
      for (unsigned i = 0; i < payload.get_data_length(); ++i)
        payload.is_write() ? void(bytes[at + i] = payload.get_data_ptr()[i])
                           : void(payload.get_data_ptr()[i] = bytes[at + i]);
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      waiting.push_back(&payload);
      if (waiting.size() == 1) respond();
    } else if (phase == tlm::END_RESP) {
      waiting.front()->release();
      waiting.pop_front();
      if (!waiting.empty()) respond();
    }
  }
  void respond() {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (socket[0]->nb_transport_bw(*waiting.front(), phase, delay) == tlm::TLM_UPDATED)
      queue.notify(*waiting.front(), phase, delay + sc_core::sc_time{1, sc_core::SC_NS});
  }
  tlm_utils::multi_passthrough_target_socket<Controller, 64> socket{"socket"};
  tlm_utils::peq_with_cb_and_phase<Controller> queue{this, &Controller::step};
  std::deque<tlm::tlm_generic_payload*> waiting;
  std::map<std::uint64_t, unsigned char> bytes;
  unsigned longest = 0;
};

/// Has b_transport alone.
struct Blocking : sc_core::sc_module {
  explicit Blocking(const sc_core::sc_module_name& name) : sc_core::sc_module{name} {
    socket.register_b_transport(this, &Blocking::access);
  }
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    wait(sc_core::sc_time{20, sc_core::SC_NS});
    auto* here = bytes.data() + payload.get_address();
    payload.is_write() ? void(std::copy_n(payload.get_data_ptr(), payload.get_data_length(), here))
                       : void(std::copy_n(here, payload.get_data_length(), payload.get_data_ptr()));
    delay += sc_core::sc_time{30, sc_core::SC_NS};
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::passthrough_target_socket<Blocking, 256> socket{"socket"};
  std::array<unsigned char, 4096> bytes{};
};

/// Writes and reads back in a thread, by whatever socket.
template <class Socket>
struct Writer : sc_core::sc_module {
  SC_HAS_PROCESS(Writer);
  Writer(const sc_core::sc_module_name& name, std::uint64_t address) : sc_core::sc_module{name}, address{address} {
    SC_THREAD(run);
  }
  void run() {
    std::vector<unsigned char> data(1500), back(1500);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 7 + address);
    right = transfer(tlm::TLM_WRITE_COMMAND, data) && transfer(tlm::TLM_READ_COMMAND, back) && back == data;
  }
  bool transfer(tlm::tlm_command command, std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload payload;
    prepare(payload, command, address, data);
    Mark mark;
    mark.asked = 41;
    payload.set_extension(&mark);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    answered = mark.answered;
    payload.clear_extension(&mark);
    return payload.is_response_ok();
  }
  Socket socket{"socket"};
  std::uint64_t address;
  bool right = false;
  int answered = 0;
};

using Multi = Writer<tlm_utils::multi_passthrough_initiator_socket<sc_core::sc_module, 128>>;
using Plain = Writer<tlm::tlm_initiator_socket<64>>;

struct Backward : tlm::tlm_bw_transport_if<> {
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

TEST(Sockets, OfAnyWidthAndWithManyConnectionsBind) {
  Domain domain{"domain"};
  Router router{"router", domain, 4};
  Controller controller{"controller"};
  Blocking blocking{"blocking"};
  Multi multi{"multi", memory_base};
  Plain plain{"plain", 0x40'0000 + 1};
  Backward backward;
  plain.socket.bind(backward);
  router.ports[0]->bind(multi.socket);
  router.ports[1]->bind(plain.socket);
  router.ports[2]->bind(controller.socket, {memory_base, 0x10'0000}, {.line = 64});
  router.ports[3]->bind(blocking.socket, {0x40'0000, 0x1000}, {.blocking = true, .offsets = true});
  sc_core::sc_start(sc_core::sc_time{100, sc_core::SC_US});
  EXPECT_TRUE(multi.right);
  EXPECT_TRUE(plain.right);
  EXPECT_EQ(multi.answered, 42) << "extensions go to the target and come back";
  EXPECT_EQ(plain.answered, 0);
  EXPECT_EQ(controller.longest, 64U);
  EXPECT_TRUE(controller.waiting.empty());
  EXPECT_NE(blocking.bytes[1], blocking.bytes[2]);
}

}  // namespace
}  // namespace peerpath::sc
