// Foreign TLM-2.0 components around a domain: random-latency memories and random initiators, at all quanta.
#include <tlm_utils/simple_initiator_socket.h>

#include "peerpath/sc/access.hpp"
#include "sc/test_foreign_parts.hpp"

namespace peerpath::sc {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// Writes and reads back through b_transport, with pauses that depend on the times that it has seen.
struct Initiator : sc_core::sc_module {
  SC_HAS_PROCESS(Initiator);
  Initiator(const sc_core::sc_module_name& name, int number)
      : sc_core::sc_module{name}, socket{"socket"}, number{number} {
    SC_THREAD(run);
  }
  void run() {
    Random random{3, basename()};
    for (int i = 0; i < 60; ++i) {
      const auto size = 1 + random.below(1500);
      const auto address = memory_base + static_cast<std::uint64_t>(number) * 0x10000 + random.below(8192);
      std::vector<unsigned char> data(size), back(size);
      for (auto& byte : data) byte = static_cast<unsigned char>(random.next());
      transfer(tlm::TLM_WRITE_COMMAND, address, data, Duration{static_cast<std::int64_t>(random.below(100'000'000))});
      transfer(tlm::TLM_READ_COMMAND, address, back, Duration{0});
      right += back == data;
      wait(to_sc_time(Duration{femtoseconds(now()) % 777'777}));
    }
  }
  void transfer(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& data, Duration ahead) {
    tlm::tlm_generic_payload payload;
    prepare(payload, command, address, data);
    sc_core::sc_time delay = to_sc_time(ahead);
    socket->b_transport(payload, delay);
    EXPECT_TRUE(payload.is_response_ok());
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    times.push_back(femtoseconds(now()));
  }
  tlm_utils::simple_initiator_socket<Initiator> socket;
  int number;
  int right = 0;
  std::vector<std::int64_t> times;
};

struct Platform {
  explicit Platform(Duration quantum, fabric::Mode mode) : domain{"domain", {.mode = mode, .quantum = quantum}} {
    a.socket.bind(router.ports[0]->in);
    b.socket.bind(router.ports[1]->in);
    router.ports[2]->out.bind(memory.socket);
    router.ports[2]->windows = {{memory_base, 0x100'0000}};
  }
  std::vector<std::int64_t> run() {
    sc_core::sc_start(sc_core::sc_time{1, sc_core::SC_MS});
    EXPECT_EQ(a.right, 60);
    EXPECT_EQ(b.right, 60);
    auto times = a.times;
    times.insert(times.end(), b.times.begin(), b.times.end());
    return times;
  }
  Domain domain;
  Router router{"router", domain, 3};
  SlowMemory memory{"memory"};
  Initiator a{"a", 0}, b{"b", 1};
};

TEST(Foreign, InitiatorsAndASlowMemoryAreExactAtAllQuanta) {
  const auto wanted = times_in_child<Platform>(10us, fabric::Mode::event);
  ASSERT_EQ(wanted.size(), 240U);
  for (const auto mode : {fabric::Mode::event, fabric::Mode::train})
    for (const Duration quantum : {Duration{1ns}, Duration{100ns}, Duration{777ns}, Duration{1us}})
      EXPECT_EQ(times_in_child<Platform>(quantum, mode), wanted) << name_of(mode) << " " << quantum.count() << " fs";
}

TEST(Foreign, AWriteArrivesWhenTheFabricSaysSo) {
  Domain domain{"domain"};
  Router router{"router", domain, 2};
  struct Once : sc_core::sc_module {
    SC_HAS_PROCESS(Once);
    explicit Once(const sc_core::sc_module_name& name) : sc_core::sc_module{name} { SC_THREAD(run); }
    void run() {
      std::array<unsigned char, 64> data{};
      tlm::tlm_generic_payload payload;
      payload.set_command(tlm::TLM_WRITE_COMMAND);
      payload.set_address(memory_base);
      payload.set_data_ptr(data.data());
      payload.set_data_length(64);
      payload.set_streaming_width(64);
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->b_transport(payload, delay);
      done = now();
      payload.set_address(0x10);  // nobody there
      socket->b_transport(payload, delay);
      status = payload.get_response_status();
    }
    tlm_utils::simple_initiator_socket<Once> socket{"socket"};
    Instant done{};
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  } once{"once"};
  SlowMemory memory{"memory"};
  once.socket.bind(router.ports[0]->in);
  router.ports[1]->out.bind(memory.socket);
  router.ports[1]->windows = {{memory_base, 0x1000}};
  sc_core::sc_start(sc_core::sc_time{10, sc_core::SC_US});

  const auto link = link_direction({}, 256_B);
  const Duration serialisation = (64_B + 12_B + 8_B) / link.rate;
  EXPECT_EQ(once.done - Instant{}, serialisation + 10ns + 110ns + 10ns);
  EXPECT_EQ(once.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace
}  // namespace peerpath::sc
