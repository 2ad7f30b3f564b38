// A foreign memory in the place of a host's DRAM: rings, payload and what cores' copy engines leave are in it.
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "devices/dma_card/dma_card.hpp"
#include "devices/host_cpu/host_cpu.hpp"
#include "devices/nic/nic.hpp"
#include "peerpath/sc/access.hpp"
#include "peerpath/sc/modules.hpp"
#include "sc/test_foreign_parts.hpp"

namespace peerpath::sc {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// Takes a request every 2 ns and answers after a fixed time, as a DRAM simulator would by nb_transport.
struct Dram : sc_core::sc_module {
  SC_HAS_PROCESS(Dram);
  Dram(const sc_core::sc_module_name& name, Duration latency) : sc_core::sc_module{name}, latency{latency} {
    socket.register_nb_transport_fw(this, &Dram::request);
    SC_METHOD(answer);
    dont_initialize();
    sensitive << queue.get_event();
  }
  tlm::tlm_sync_enum request(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    payload.acquire();
    (payload.is_write() ? written : read) += payload.get_data_length();
    highest = std::max<std::uint64_t>(highest, payload.get_address() + payload.get_data_length() - 1);
    crossing |= payload.get_address() / 64 != (payload.get_address() + payload.get_data_length() - 1) / 64;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    queue.notify(payload, delay + to_sc_time(latency));
    phase = tlm::END_REQ;
    delay += sc_core::sc_time{2, sc_core::SC_NS};
    return tlm::TLM_UPDATED;
  }
  void answer() {
    while (auto* payload = queue.get_next_transaction()) {
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket[0]->nb_transport_bw(*payload, phase, delay);
      payload->release();
    }
  }
  tlm_utils::multi_passthrough_target_socket<Dram> socket{"socket"};
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> queue{"queue"};
  Duration latency;
  std::int64_t read = 0, written = 0;
  std::uint64_t highest = 0;
  bool crossing = false;
};

constexpr Bytes size = 8_GiB;

/// Reads 64 B of host memory through a root port, with the memory now faster, now slower.
struct Reader : sc_core::sc_module {
  SC_HAS_PROCESS(Reader);
  Reader(const sc_core::sc_module_name& name, Dram& dram) : sc_core::sc_module{name}, dram{dram} { SC_THREAD(run); }
  void run() {
    for (const Duration latency : {90ns, 290ns}) {
      dram.latency = latency;
      const auto started = now();
      std::array<unsigned char, 64> data{};
      EXPECT_TRUE(read(socket, 0x1'2345'6780, data));
      took.push_back(now() - started);
      wait(sc_core::sc_time{1, sc_core::SC_US});
    }
  }
  tlm_utils::simple_initiator_socket<Reader, 64> socket{"socket"};
  Dram& dram;
  std::vector<Duration> took;
};

TEST(ForeignDram, AnswersWhenItsDataIsReady) {
  Domain domain{"domain"};
  RootComplex root{"root", domain, 1};
  HostMemory memory{"memory", domain, {.size = size}};
  Dram dram{"dram", 90ns};
  Reader reader{"reader", dram};
  root.memory.bind(memory.port, {.internal = true});
  root.port(0).bind(reader.socket);
  memory.bind(dram.socket);
  sc_core::sc_start(to_sc_time(Duration{20us}));
  ASSERT_EQ(reader.took.size(), 2U);
  EXPECT_EQ(reader.took[1] - reader.took[0], 200ns);
  EXPECT_GT(reader.took[0], 390ns) << "the root complex twice, and the memory";
  EXPECT_EQ(dram.read, 2 * 64);
  EXPECT_EQ(dram.highest, 0xe345'67bfU) << "without the hole below 4 GiB";
}

/// A host whose NIC sends from its memory, with cores that are told by interrupts.
struct Host {
  explicit Host(Duration latency) : dram{"dram", latency} {
    root.memory.bind(memory.port, {.internal = true});
    root.port(0).bind(nic.pcie);
    memory.bind(dram.socket);
    cpu.send(nic, {.queue = 0, .packet = 4096_B, .interval = 10us});
  }
  Domain domain{"domain"};
  RootComplex root{"root", domain, 1};
  HostMemory memory{"memory", domain, {.size = size}};
  Dram dram;
  HostCpu cpu{"cpu", domain, memory};
  Nic nic{"nic", domain, memory};
};

TEST(ForeignDram, HoldsRingsAndPayloadOfANic) {
  Host host{90ns};
  sc_core::sc_start(to_sc_time(Duration{305us}));
  const auto& sent = host.nic.behaviour().counters();
  EXPECT_GE(sent.tx_payload, 4096_B * 28);
  EXPECT_EQ(sent.bad_descriptors, 0);
  const auto packets = sent.tx_payload.count() / 4096;
  EXPECT_GT(host.dram.read, packets * 4096) << "payload, and descriptors besides";
  EXPECT_LT(host.dram.read, (packets + 2) * (4096 + 1024));
  EXPECT_GT(host.dram.written, 0) << "completions";
  EXPECT_FALSE(host.dram.crossing) << "a cache line at a time";
  EXPECT_GT(host.cpu.behaviour().counters().interrupts, 10) << "they are for the cores, not for the memory";
  EXPECT_LT(host.dram.highest, static_cast<std::uint64_t>(size.count()));
  EXPECT_GE(host.dram.highest, std::uint64_t{3} << 30) << "what lies above the hole follows on what lies below it";
}

TEST(ForeignDram, HearsOfWritesThatNobodyWaitsFor) {
  Domain domain{"domain"};
  PcieSwitch bridge{"bridge", domain, 2};
  DmaCard card{"card", domain};
  Dram dram{"dram", 90ns};
  bridge.port(0).bind(card.pcie);
  bridge.port(1).bind(dram.socket, {.base = 0x8000'0000, .size = 0x10'0000}, {.offsets = true});
  card.add({.target = bridge.port(1).foreign_node(),
            .address = 0x8000'0000,
            .window = 1_MiB,
            .sizes = {512_B},
            .count = 100});
  sc_core::sc_start(to_sc_time(Duration{50us}));
  EXPECT_EQ(dram.written, 100 * 512);
}

}  // namespace
}  // namespace peerpath::sc
