// A foreign initiator that speaks nb_transport, with many requests outstanding and every legal way to end a response.
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>

#include "sc/test_foreign_parts.hpp"
#include "sc/test_protocol_checker.hpp"

namespace peerpath::sc {
namespace {

using namespace std::chrono_literals;

constexpr int accesses = 40;
constexpr Duration thinking = 7ns;  ///< from BEGIN_RESP to END_RESP, where that is said later

/// Writes blocks and, when all writes have arrived, reads them all back; it never waits for one before the next.
struct NbInitiator : sc_core::sc_module, tlm::tlm_mm_interface {
  struct Access : tlm::tlm_generic_payload {
    using tlm::tlm_generic_payload::tlm_generic_payload;
    std::vector<unsigned char> data;
  };

  SC_HAS_PROCESS(NbInitiator);
  explicit NbInitiator(const sc_core::sc_module_name& name) : sc_core::sc_module{name} {
    socket.register_nb_transport_bw(this, &NbInitiator::response);
    SC_THREAD(run);
    SC_METHOD(end_response);
    dont_initialize();
    sensitive << end_of_thinking;
  }

  void run() {
    Random random{5, "initiator"};
    std::vector<std::vector<unsigned char>> written;
    for (int i = 0; i < accesses; ++i) {
      auto& data = written.emplace_back(1 + random.below(1500));
      for (auto& byte : data) byte = static_cast<unsigned char>(random.next());
      issue(tlm::TLM_WRITE_COMMAND, i, data, Duration{static_cast<std::int64_t>(random.below(100'000'000))});
      if (i % 4 == 0) wait(to_sc_time(Duration{static_cast<std::int64_t>(random.below(50'000'000))}));
    }
    while (answered < accesses) wait(response_came);
    for (int i = 0; i < accesses; ++i)
      issue(tlm::TLM_READ_COMMAND, i, std::vector<unsigned char>(written[static_cast<std::size_t>(i)].size()), {});
    while (answered < 2 * accesses) wait(response_came);
    for (std::size_t i = 0; i < accesses; ++i) right += requests[accesses + i].data == written[i];
  }

  void issue(tlm::tlm_command command, int block, std::vector<unsigned char> data, Duration ahead) {
    auto& access = requests.emplace_back(this);
    access.acquire();
    access.data = std::move(data);
    access.set_command(command);
    access.set_address(memory_base + static_cast<std::uint64_t>(block) * 0x800);
    access.set_data_ptr(access.data.data());
    access.set_data_length(static_cast<unsigned>(access.data.size()));
    access.set_streaming_width(static_cast<unsigned>(access.data.size()));
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = to_sc_time(ahead);
    EXPECT_EQ(socket->nb_transport_fw(access, phase, delay), tlm::TLM_UPDATED);
    EXPECT_EQ(phase, tlm::END_REQ);
  }

  tlm::tlm_sync_enum response(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    EXPECT_EQ(phase, tlm::BEGIN_RESP);
    EXPECT_EQ(thought_about, nullptr) << "a response before the end of the one before it";
    EXPECT_TRUE(payload.is_response_ok());
    times.push_back(femtoseconds(now() + to_duration(delay)));
    response_came.notify(sc_core::SC_ZERO_TIME);
    switch (answered++ % 3) {
      case 0:
        payload.release();
        return tlm::TLM_COMPLETED;
      case 1:
        phase = tlm::END_RESP;
        payload.release();
        return tlm::TLM_UPDATED;
      default:
        thought_about = &payload;
        end_of_thinking.notify(to_sc_time(thinking));
        return tlm::TLM_ACCEPTED;
    }
  }

  void end_response() {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    auto& payload = *std::exchange(thought_about, nullptr);
    EXPECT_EQ(socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
    payload.release();
  }

  void free(tlm::tlm_generic_payload*) override { ++freed; }

  tlm_utils::simple_initiator_socket<NbInitiator> socket{"socket"};
  std::deque<Access> requests;
  tlm::tlm_generic_payload* thought_about = nullptr;
  sc_core::sc_event response_came, end_of_thinking;
  int answered = 0, right = 0, freed = 0;
  std::vector<std::int64_t> times;
};

struct NbPlatform {
  NbPlatform(Duration quantum, fabric::Mode mode) : domain{"domain", {.mode = mode, .quantum = quantum}} {
    initiator.socket.bind(router.ports[0]->in);
    router.ports[1]->out.bind(memory.socket);
    router.ports[1]->windows = {{memory_base, 0x100'0000}};
  }
  std::vector<std::int64_t> run() {
    sc_core::sc_start(sc_core::sc_time{1, sc_core::SC_MS});
    EXPECT_EQ(initiator.right, accesses);
    EXPECT_EQ(initiator.freed, 2 * accesses);
    return initiator.times;
  }
  Domain domain;
  Router router{"router", domain, 2};
  SlowMemory memory{"memory"};
  NbInitiator initiator{"initiator"};
};

TEST(Foreign, NonBlockingInitiatorsAreExactAtAllQuanta) {
  const auto wanted = times_in_child<NbPlatform>(10us, fabric::Mode::event);
  ASSERT_EQ(wanted.size(), 2U * accesses);
  for (const auto mode : {fabric::Mode::event, fabric::Mode::train})
    for (const Duration quantum : {Duration{1ns}, Duration{100ns}, Duration{1us}})
      EXPECT_EQ(times_in_child<NbPlatform>(quantum, mode), wanted) << name_of(mode) << " " << quantum.count() << " fs";
}

TEST(Foreign, BothSidesKeepTheBaseProtocol) {
  Domain domain{"domain"};
  Router router{"router", domain, 2};
  SlowMemory memory{"memory"};
  NbInitiator initiator{"initiator"};
  ProtocolChecker asking{"asking"}, answering{"answering"};
  asking.in_order = false;  // it looks ahead by random times
  initiator.socket.bind(asking.in);
  router.ports[0]->bind(asking.out);
  router.ports[1]->bind(answering.in, {memory_base, 0x100'0000}, {.line = 256});
  answering.out.bind(memory.socket);
  sc_core::sc_start(sc_core::sc_time{1, sc_core::SC_MS});
  EXPECT_EQ(initiator.right, accesses);
  EXPECT_EQ(asking.over, 2 * accesses);
  EXPECT_GT(answering.over, 4 * accesses) << "each in lines";
  EXPECT_TRUE(asking.under_way.empty());
  EXPECT_TRUE(answering.under_way.empty());
}

}  // namespace
}  // namespace peerpath::sc
