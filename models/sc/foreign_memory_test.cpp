// What foreign initiators are answered by the rules of TLM-2.0: wrong payloads, debug transport, pointers to memory.
#include <tlm_utils/simple_initiator_socket.h>

#include "peerpath/sc/modules.hpp"
#include "sc/test_foreign_parts.hpp"

namespace peerpath::sc {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// Does in a thread what a test says, and keeps what it is told about pointers.
struct Tester : sc_core::sc_module {
  SC_HAS_PROCESS(Tester);
  Tester(const sc_core::sc_module_name& name, std::function<void(Tester&)> body)
      : sc_core::sc_module{name}, body{std::move(body)} {
    SC_THREAD(run);
    socket.register_invalidate_direct_mem_ptr(this, &Tester::invalidate);
  }
  void run() {
    body(*this);
    finished = true;
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { invalidated.emplace_back(first, last); }

  tlm::tlm_generic_payload& payload(tlm::tlm_command command, std::uint64_t address, unsigned length) {
    common.reset();
    common.set_command(command);
    common.set_address(address);
    common.set_data_ptr(data.data());
    common.set_data_length(length);
    common.set_streaming_width(length);
    common.set_byte_enable_ptr(nullptr);
    common.set_dmi_allowed(false);
    common.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return common;
  }
  tlm::tlm_response_status ask(tlm::tlm_generic_payload& asked) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(asked, delay);
    return asked.get_response_status();
  }

  tlm_utils::simple_initiator_socket<Tester, 64> socket{"socket"};
  std::function<void(Tester&)> body;
  tlm::tlm_generic_payload common;
  std::array<unsigned char, 256> data{};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> invalidated;
  bool finished = false;
};

/// A memory with all that TLM-2.0 has, of 4 KiB from 0.
struct FullMemory : sc_core::sc_module {
  explicit FullMemory(const sc_core::sc_module_name& name) : sc_core::sc_module{name} {
    socket.register_b_transport(this, &FullMemory::access);
    socket.register_transport_dbg(this, &FullMemory::debug);
    socket.register_get_direct_mem_ptr(this, &FullMemory::direct);
  }
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time{50, sc_core::SC_NS};
    payload.set_dmi_allowed(true);
    payload.set_response_status(debug(payload) == payload.get_data_length() ? tlm::TLM_OK_RESPONSE
                                                                            : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    if (payload.get_address() + payload.get_data_length() > bytes.size()) return 0;
    auto* here = bytes.data() + payload.get_address();
    payload.is_write() ? void(std::copy_n(payload.get_data_ptr(), payload.get_data_length(), here))
                       : void(std::copy_n(here, payload.get_data_length(), payload.get_data_ptr()));
    return payload.get_data_length();
  }
  bool direct(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_start_address(0);
    dmi.set_end_address(bytes.size() - 1);
    dmi.set_read_latency(sc_core::sc_time{50, sc_core::SC_NS});
    dmi.allow_read_write();
    return true;
  }
  tlm_utils::simple_target_socket<FullMemory, 64> socket{"socket"};
  std::array<unsigned char, 4096> bytes{};
};

constexpr std::uint64_t window = 0x8000'0000;

/// A tester, a GPU, and a foreign memory.
struct Bench {
  explicit Bench(std::function<void(Bench&, Tester&)> body, bool direct_memory = true)
      : domain{"domain", {.direct_memory = direct_memory}}, tester{"tester", [this, body = std::move(body)](Tester& t) {
                                                                     body(*this, t);
                                                                   }} {
    bridge.port(0).bind(tester.socket);
    bridge.port(1).bind(gpu.pcie);
    bridge.port(2).bind(memory.socket, {.base = window, .size = 4096}, {.offsets = true});
  }
  void run() {
    sc_core::sc_start(sc_core::sc_time{100, sc_core::SC_US});
    EXPECT_TRUE(tester.finished);
  }
  Domain domain;
  PcieSwitch bridge{"bridge", domain, 3};
  Gpu gpu{"gpu", domain};
  FullMemory memory{"memory"};
  Tester tester;
};

TEST(Rules, WrongPayloadsAreAnsweredWithTheirErrors) {
  Bench bench{[](Bench& b, Tester& t) {
    const auto at = b.gpu.memory().value();
    EXPECT_EQ(t.ask(t.payload(tlm::TLM_WRITE_COMMAND, at, 64)), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(t.ask(t.payload(tlm::TLM_IGNORE_COMMAND, at, 64)), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(t.ask(t.payload(tlm::TLM_WRITE_COMMAND, at, 0)), tlm::TLM_BURST_ERROR_RESPONSE);
    auto& streams = t.payload(tlm::TLM_WRITE_COMMAND, at, 64);
    streams.set_streaming_width(8);
    EXPECT_EQ(t.ask(streams), tlm::TLM_BURST_ERROR_RESPONSE);
    auto& nowhere = t.payload(tlm::TLM_WRITE_COMMAND, at, 64);
    nowhere.set_data_ptr(nullptr);
    EXPECT_EQ(t.ask(nowhere), tlm::TLM_GENERIC_ERROR_RESPONSE);
    std::array<unsigned char, 4> enables{TLM_BYTE_ENABLED, TLM_BYTE_ENABLED, TLM_BYTE_DISABLED, TLM_BYTE_ENABLED};
    auto& holes = t.payload(tlm::TLM_WRITE_COMMAND, at, 64);
    holes.set_byte_enable_ptr(enables.data());
    holes.set_byte_enable_length(4);
    EXPECT_EQ(t.ask(holes), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    enables[2] = TLM_BYTE_ENABLED;
    EXPECT_EQ(t.ask(holes), tlm::TLM_OK_RESPONSE) << "no byte is left out";
    EXPECT_EQ(t.ask(t.payload(tlm::TLM_READ_COMMAND, 0x10, 4)), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(t.ask(t.payload(tlm::TLM_READ_COMMAND, window + 4096 - 32, 64)), tlm::TLM_ADDRESS_ERROR_RESPONSE)
        << "reaches over the end of the window";
    EXPECT_EQ(t.ask(t.payload(tlm::TLM_READ_COMMAND, window + 4096 - 64, 64)), tlm::TLM_OK_RESPONSE);
  }};
  bench.run();
}

TEST(Rules, DebugTransportReachesMemoryAndTakesNoTime) {
  Bench bench{[](Bench& b, Tester& t) {
    const auto before = now();
    const auto debug = [&](tlm::tlm_command command, std::uint64_t address, unsigned length) {
      return t.socket->transport_dbg(t.payload(command, address, length));
    };
    for (const auto at : {b.gpu.memory().value(), window}) {
      t.data.fill(0x3c);
      EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, at, 200), 200U);
      t.data.fill(0);
      EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, at, 200), 200U);
      EXPECT_EQ(t.data[199], 0x3c);
      EXPECT_EQ(t.data[200], 0);
    }
    EXPECT_EQ(b.memory.bytes[199], 0x3c);
    EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, window + 4096 - 32, 64), 32U) << "up to the end of the window";
    EXPECT_EQ(t.common.get_address(), window + 4096 - 32);
    EXPECT_EQ(t.common.get_data_length(), 64U);
    EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, b.gpu.doorbell().value(), 4), 0U) << "registers are no memory";
    EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, 0x10, 4), 0U);
    EXPECT_EQ(debug(tlm::TLM_IGNORE_COMMAND, window, 4), 0U);
    EXPECT_EQ(now(), before);
    // What came by the fabric and what debug transport shows are the same bytes.
    t.data.fill(0x77);
    EXPECT_EQ(t.ask(t.payload(tlm::TLM_WRITE_COMMAND, b.gpu.memory().value() + 8, 8)), tlm::TLM_OK_RESPONSE);
    t.data.fill(0);
    EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, b.gpu.memory().value() + 8, 8), 8U);
    EXPECT_EQ(t.data[7], 0x77);
  }};
  bench.run();
}

TEST(Rules, PointersToMemoryAreGivenWithTheLatencyOfTheWay) {
  Bench bench{[](Bench& b, Tester& t) {
    const auto at = b.gpu.memory().value() + 0x123;
    t.data.fill(0x42);
    auto& write = t.payload(tlm::TLM_WRITE_COMMAND, at, 64);
    auto started = now();
    t.ask(write);
    EXPECT_TRUE(write.is_dmi_allowed());
    const auto written = now() - started;
    started = now();
    t.ask(t.payload(tlm::TLM_READ_COMMAND, at, 64));
    const auto answered = now() - started;

    tlm::tlm_dmi dmi;
    ASSERT_TRUE(t.socket->get_direct_mem_ptr(t.payload(tlm::TLM_READ_COMMAND, at, 64), dmi));
    EXPECT_TRUE(dmi.is_read_write_allowed());
    EXPECT_LE(dmi.get_start_address(), at);
    EXPECT_GE(dmi.get_end_address(), at + 63);
    EXPECT_EQ(dmi.get_dmi_ptr()[at - dmi.get_start_address()], 0x42);
    EXPECT_NEAR(static_cast<double>(to_duration(dmi.get_read_latency()).count()), answered.count(), 5e6);
    EXPECT_NEAR(static_cast<double>(to_duration(dmi.get_write_latency()).count()), written.count(), 5e6);
    dmi.get_dmi_ptr()[at - dmi.get_start_address()] = 0x43;
    t.ask(t.payload(tlm::TLM_READ_COMMAND, at, 1));
    EXPECT_EQ(t.data[0], 0x43);

    dmi.init();
    ASSERT_TRUE(t.socket->get_direct_mem_ptr(t.payload(tlm::TLM_READ_COMMAND, window + 8, 8), dmi));
    EXPECT_EQ(dmi.get_dmi_ptr(), b.memory.bytes.data());
    EXPECT_EQ(dmi.get_start_address(), window);
    EXPECT_EQ(dmi.get_end_address(), window + 4095);
    EXPECT_GT(dmi.get_read_latency(), sc_core::sc_time(50, sc_core::SC_NS)) << "the target's and the way's";
    auto& read = t.payload(tlm::TLM_READ_COMMAND, window + 8, 8);
    t.ask(read);
    EXPECT_TRUE(read.is_dmi_allowed());

    dmi.init();
    EXPECT_FALSE(t.socket->get_direct_mem_ptr(t.payload(tlm::TLM_READ_COMMAND, b.gpu.doorbell().value(), 4), dmi));
    EXPECT_EQ(dmi.get_start_address(), b.gpu.doorbell().value());
    EXPECT_FALSE(t.socket->get_direct_mem_ptr(t.payload(tlm::TLM_READ_COMMAND, 0x10, 4), dmi));
    EXPECT_TRUE(t.invalidated.empty());

    b.memory.socket->invalidate_direct_mem_ptr(16, 1'000'000);
    ASSERT_EQ(t.invalidated.size(), 1U);
    EXPECT_EQ(t.invalidated[0].first, window + 16);
    EXPECT_EQ(t.invalidated[0].second, window + 4095);
    wait(sc_core::sc_time{50, sc_core::SC_US});
    ASSERT_EQ(t.invalidated.size(), 2U) << "links may have changed";
    EXPECT_FALSE(t.socket->get_direct_mem_ptr(t.payload(tlm::TLM_READ_COMMAND, at, 64), dmi));
    t.ask(t.payload(tlm::TLM_READ_COMMAND, at, 64));
    EXPECT_FALSE(t.common.is_dmi_allowed());
  }};
  bench.domain.at(Instant{30us}, [](fabric::Fabric&) {});
  bench.run();
}

TEST(Rules, ADomainMayGiveNoPointers) {
  Bench bench{[](Bench& b, Tester& t) {
                tlm::tlm_dmi dmi;
                auto& read = t.payload(tlm::TLM_READ_COMMAND, b.gpu.memory().value(), 64);
                EXPECT_FALSE(t.socket->get_direct_mem_ptr(read, dmi));
                t.ask(read);
                EXPECT_FALSE(read.is_dmi_allowed());
              },
              false};
  bench.run();
}

}  // namespace
}  // namespace peerpath::sc
