// A foreign component between two ports of ours: what passes it comes out as what it was.
#include <tlm_utils/simple_initiator_socket.h>

#include "devices/host_cpu/host_cpu.hpp"
#include "devices/nic/nic.hpp"
#include "peerpath/sc/access.hpp"
#include "peerpath/sc/modules.hpp"
#include "sc/test_foreign_parts.hpp"

namespace peerpath::sc {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// Passes requests on after a while, both ways, whole or in pieces, and counts their bytes.
struct Monitor : sc_core::sc_module {
  Monitor(const sc_core::sc_module_name& name, Duration latency, unsigned piece = 4096)
      : sc_core::sc_module{name}, latency{latency}, piece{piece} {
    from_upper.register_b_transport(this, &Monitor::down);
    from_lower.register_b_transport(this, &Monitor::up);
    from_upper.register_transport_dbg(this, &Monitor::debug_down);
    from_lower.register_transport_dbg(this, &Monitor::debug_up);
    from_lower.register_get_direct_mem_ptr(this, &Monitor::direct_up);
  }
  template <class Socket>
  void pass(Socket& to, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += to_sc_time(latency);
    const auto length = payload.get_data_length();
    auto* const data = payload.get_data_ptr();
    const auto address = payload.get_address();
    for (unsigned done = 0; done < length; done += piece) {
      payload.set_address(address + done);
      payload.set_data_ptr(data + done);
      payload.set_data_length(std::min(piece, length - done));
      payload.set_streaming_width(payload.get_data_length());
      to->b_transport(payload, delay);
    }
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(length);
    failed += payload.is_response_error();
  }
  void down(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    times.push_back(femtoseconds(now()));
    seen_down += payload.get_data_length();
    pass(to_lower, payload, delay);
  }
  void up(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    times.push_back(femtoseconds(now()));
    (payload.is_write() ? written_up : read_up) += payload.get_data_length();
    pass(to_upper, payload, delay);
  }
  unsigned debug_down(tlm::tlm_generic_payload& payload) { return to_lower->transport_dbg(payload); }
  unsigned debug_up(tlm::tlm_generic_payload& payload) { return to_upper->transport_dbg(payload); }
  bool direct_up(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    return to_upper->get_direct_mem_ptr(payload, dmi);
  }
  tlm_utils::simple_target_socket<Monitor, 64> from_upper{"from_upper"}, from_lower{"from_lower"};
  tlm_utils::simple_initiator_socket<Monitor, 64> to_upper{"to_upper"}, to_lower{"to_lower"};
  Duration latency;
  unsigned piece;
  std::int64_t seen_down = 0, read_up = 0, written_up = 0;
  int failed = 0;
  std::vector<std::int64_t> times;  ///< of all that came
};

/// A host whose NIC sends from its memory; the component stands before the memory, or before the NIC.
struct MonitoredHost {
  MonitoredHost(bool before_memory, unsigned piece, const DomainConfig& config = {})
      : domain{"domain", config}, monitor{"monitor", 40ns, piece} {
    if (before_memory) {
      memory.port.bind_through(root.memory, monitor.from_upper, monitor.to_lower, monitor.from_lower, monitor.to_upper,
                               {.internal = true});
      root.port(0).bind(nic.pcie);
    } else {
      root.memory.bind(memory.port, {.internal = true});
      root.port(0).bind_through(nic.pcie, monitor.from_upper, monitor.to_lower, monitor.from_lower, monitor.to_upper);
    }
    cpu.send(nic, {.queue = 0, .packet = 4096_B, .interval = 10us});
  }
  void check() {
    sc_core::sc_start(to_sc_time(Duration{305us}));
    const auto& sent = nic.behaviour().counters();
    EXPECT_GE(sent.tx_payload, 4096_B * 28);
    EXPECT_EQ(sent.bad_descriptors, 0);
    EXPECT_GE(monitor.read_up, sent.tx_payload.count()) << "payload and descriptors";
    EXPECT_GT(monitor.written_up, 28 * 4) << "completions and interrupts";
    EXPECT_GT(monitor.seen_down, 28 * 4) << "doorbells";
    EXPECT_EQ(monitor.failed, 0);
    EXPECT_GT(cpu.behaviour().counters().interrupts, 10) << "the cores know whose they are";
  }
  Domain domain;
  RootComplex root{"root", domain, 1};
  HostMemory memory{"memory", domain};
  Monitor monitor;
  HostCpu cpu{"cpu", domain, memory};
  Nic nic{"nic", domain, memory};
};

TEST(Between, ANicSendsThroughAComponentBeforeHostMemory) { MonitoredHost{true, 4096}.check(); }
TEST(Between, ANicSendsThroughAComponentBeforeItself) { MonitoredHost{false, 4096}.check(); }
TEST(Between, AComponentMayPassOnInPieces) { MonitoredHost{true, 64}.check(); }

struct TimedHost {
  TimedHost(Duration quantum, fabric::Mode mode) : host{true, 256, {.mode = mode, .quantum = quantum}} {}
  std::vector<std::int64_t> run() {
    sc_core::sc_start(to_sc_time(Duration{60us}));
    return host.monitor.times;
  }
  MonitoredHost host;
};

TEST(Between, TimesDependOnNoQuantum) {
  const auto wanted = times_in_child<TimedHost>(10us, fabric::Mode::event);
  ASSERT_GT(wanted.size(), 50U);
  for (const auto mode : {fabric::Mode::event, fabric::Mode::train})
    for (const Duration quantum : {Duration{1ns}, Duration{333ns}, Duration{10us}})
      EXPECT_EQ(times_in_child<TimedHost>(quantum, mode), wanted) << name_of(mode) << " " << quantum.count() << " fs";
}

/// Reads host memory by all ways that there are.
struct PassedReader : sc_core::sc_module {
  SC_HAS_PROCESS(PassedReader);
  PassedReader(const sc_core::sc_module_name& name, Monitor& monitor) : sc_core::sc_module{name}, monitor{monitor} {
    SC_THREAD(run);
  }
  void run() {
    std::array<unsigned char, 64> data{};
    for (const Duration latency : {40ns, 140ns}) {
      monitor.latency = latency;
      const auto started = now();
      right &= read(socket, address, data);
      took.push_back(now() - started);
      wait(sc_core::sc_time{1, sc_core::SC_US});
    }
    std::array<unsigned char, 8> eight{1, 2, 3, 4, 5, 6, 7, 8}, back{};
    right &= write(socket, address, eight);
    wait(sc_core::sc_time{1, sc_core::SC_US});  // it is posted: the component has yet to pass it on
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(address);
    payload.set_data_ptr(back.data());
    payload.set_data_length(8);
    right &= socket->transport_dbg(payload) == 8 && back == eight;
    tlm::tlm_dmi dmi;
    right &= socket->get_direct_mem_ptr(payload, dmi) && dmi.get_dmi_ptr()[address - dmi.get_start_address()] == 1;
    direct = to_duration(dmi.get_read_latency());
  }
  static constexpr std::uint64_t address = 0x1'0000'0040;
  tlm_utils::simple_initiator_socket<PassedReader, 128> socket{"socket"};
  Monitor& monitor;
  std::vector<Duration> took;
  Duration direct{};
  bool right = true;
};

TEST(Between, ForeignInitiatorsDebugAndPointersPassToo) {
  Domain domain{"domain"};
  RootComplex root{"root", domain, 1};
  HostMemory memory{"memory", domain};
  Monitor monitor{"monitor", 40ns};
  PassedReader reader{"reader", monitor};
  memory.port.bind_through(root.memory, monitor.from_upper, monitor.to_lower, monitor.from_lower, monitor.to_upper,
                           {.internal = true});
  root.port(0).bind(reader.socket);
  sc_core::sc_start(to_sc_time(Duration{20us}));
  ASSERT_EQ(reader.took.size(), 2U);
  EXPECT_TRUE(reader.right);
  EXPECT_EQ(reader.took[1] - reader.took[0], 100ns);
  EXPECT_GT(reader.direct, reader.took[0] - 50ns) << "all but what the component does not say of itself";
  EXPECT_EQ(monitor.read_up, 128);
}

}  // namespace
}  // namespace peerpath::sc
