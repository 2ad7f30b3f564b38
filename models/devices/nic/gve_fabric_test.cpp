// The emulated NIC on the computed fabric: the same object as in the emulator, with the model's delays and in time.
#include <gtest/gtest.h>

#include <functional>

#include "devices/nic/test_driver.hpp"
#include "loop/loop.hpp"

namespace peerpath::nic::gve {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr fabric::NodeId host_memory{1}, nic_node{2};
using Frame = std::vector<std::uint8_t>;

/// Puts the bytes beside the fabric's transactions, which are lengths: those of a write reach memory when it arrives.
class Attached final : public device::Endpoint, private Host {
 public:
  explicit Attached(const device::NicConfig& config) : nic{{}, config, *this} {}

  /// Runs a step of the driver at the given time.
  void at(Instant when, std::function<void()> act) { acts_[when] = std::move(act); }

  void start(device::Outbox& out) override {
    for (const auto& [when, act] : acts_)
      out.wake_at(device::TimerId{static_cast<std::uint16_t>(1 + numbers_++)}, when);
  }
  void on_delivery(const fabric::Delivery& d, device::Outbox& out) override {
    out_ = &out;
    if (d.kind != fabric::DeliveryKind::completed) return nic.on_delivery(d);
    Frame data(static_cast<std::size_t>(d.bytes.count()));
    EXPECT_TRUE(memory.read(d.address, data));
    nic.on_delivery(d, data);
  }
  void on_computed(const fabric::Delivery& d) override {
    if (d.kind == fabric::DeliveryKind::arrived) {
      const auto written = writes_.extract(d.cookie);
      ASSERT_FALSE(written.empty());
      EXPECT_TRUE(memory.write(d.address, written.mapped()));
      arrivals[d.address] = d.done;
    }
    nic.on_computed(d);
  }
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override {
    out_ = &out;
    if (timer.value() == 0) return nic.on_wake(now);
    nic.set_time(now);
    acts_.at(now)();
  }

  ArrayMemory memory{0x400000};
  Nic nic;
  std::vector<std::pair<Frame, Instant>> frames;
  std::map<std::uint64_t, Instant> arrivals;  ///< of writes, by address

 private:
  void submit(fabric::ChannelIndex channel, const fabric::Transaction& t, const device::Content& content) override {
    auto to_host = t;
    to_host.target = host_memory;
    if (t.op == pcie::Operation::memory_write) writes_[t.cookie] = {content.bytes.begin(), content.bytes.end()};
    out_->submit(channel, to_host);
  }
  void wake_at(Instant when) override { out_->wake_at(device::TimerId{0}, when); }
  void flush_soon() override {}
  void interrupt(std::uint32_t) override {}
  void transmit(std::span<const std::uint8_t> frame, Instant when) override {
    frames.emplace_back(Frame(frame.begin(), frame.end()), when);
  }

  device::Outbox* out_ = nullptr;
  std::map<Instant, std::function<void()>> acts_;
  std::size_t numbers_ = 0;
  std::map<std::uint64_t, Frame> writes_;
};

TEST(OnTheComputedFabric, TheEmulatedNicSendsAndReceivesInTime) {
  device::NicConfig config = Nic::functional({});
  config.pipeline_latency = 300ns;
  config.writeback_timeout = 1us;
  Attached attached{config};
  auto& memory = attached.memory;
  auto& registers = attached.nic.registers();
  using T = TestDriver;
  const auto command = [&](std::uint64_t n, std::uint32_t opcode, std::vector<std::array<std::uint64_t, 3>> fields) {
    const auto slot = T::admin + n * command_size;
    memory.set(slot, 4, opcode);
    for (const auto& [at, size, value] : fields) memory.set(slot + at, size, value);
  };
  for (std::uint64_t i = 0; i < Steering::table_size; ++i) memory.set(T::scratch + 4 * i, 4, 0);
  command(0, 0xa, {{14, 2, Steering::table_size}, {24, 8, T::scratch}});
  command(1, 6,
          {{20, 4, 2},
           {24, 8, T::scratch},
           {32, 8, T::rx_completions(0)},
           {40, 8, T::rx_ring(0)},
           {48, 4, 0xffffffff},
           {52, 2, 64},
           {54, 2, 4096},
           {56, 2, 64},
           {60, 2, 128}});
  command(2, 5,
          {{16, 8, T::scratch + 8},
           {24, 8, T::tx_ring(0)},
           {32, 4, 0xffffffff},
           {40, 8, T::tx_completions(0)},
           {48, 2, 64},
           {50, 2, 64}});
  net::FrameSpec spec;
  spec.key = net::generated_flow(1);
  spec.payload = Bytes{1000};
  const auto header = net::build(spec);
  Frame frame(header.bytes().begin(), header.bytes().end());
  for (int i = 0; i < 1000; ++i) frame.push_back(static_cast<std::uint8_t>(i * 31));
  memory.write(0x300000, frame);

  attached.at(Instant{1us}, [&] {
    registers.write(0x28, 2, 4096);
    registers.write(0x24, 4, T::admin);
    registers.write(0x04, 4, 1);
    registers.write(0x14, 4, 3);
    EXPECT_EQ(registers.read(0x18, 4), 0u);
  });
  attached.at(Instant{50us}, [&] {
    EXPECT_EQ(registers.read(0x18, 4), 3u);
    for (std::uint64_t n = 0; n < 3; ++n) EXPECT_EQ(memory.be(T::admin + n * command_size + 4, 4), 1u) << n;
    memory.write(T::rx_ring(0),
                 encode_buffer({BufferId{0}, {{}, BusAddress{T::header(0)}}, {{}, BusAddress{T::buffer(0)}}}));
    registers.doorbell(rx_doorbells * 4, 1);
    Descriptor16 piece{};
    store_le(piece, 0, 8, 0x300000);
    piece[8] = 0xec;
    store_le(piece, 14, 2, frame.size());
    memory.write(T::tx_ring(0), piece);
    registers.doorbell(tx_doorbells * 4, 1);
  });
  attached.at(Instant{100us}, [&] { attached.nic.receive(frame); });

  fabric::Topology topology;
  const auto router = topology.add_router("rc", {.latency = 150ns});
  const fabric::LinkDirection wide{.rate = BitRate{32'000'000'000'000}, .framing = 0_B},
      link{.rate = 8_Gbps, .framing = 0_B};
  topology.connect(router, topology.add_endpoint("host", {.max_completion = 256_B, .read_latency = 90ns}), wide, wide);
  fabric::Endpoint endpoint;
  endpoint.channels = nic_channels;
  topology.connect(router, topology.add_endpoint("nic", endpoint), link, link);
  loop::Loop loop{topology, fabric::Mode::event};
  loop.add(attached, {.node = nic_node, .channels = nic_channels, .hears_arrivals = true});
  loop.run_until(Instant{200us});

  EXPECT_EQ(attached.nic.under_way(), 0u);
  ASSERT_EQ(attached.frames.size(), 1u);
  auto sent = frame;
  const auto parsed = net::parse(std::span{frame}.first(128), Bytes{static_cast<std::int64_t>(frame.size())});
  net::fill_layer4(sent, parsed, frame.size() - parsed.layer4_offset);
  EXPECT_EQ(attached.frames[0].first, sent);
  // Descriptor, look and data are read one after the other, and each goes over the root complex and back.
  const auto round_trip = 2 * 150ns + 90ns, data = std::chrono::nanoseconds{1054};
  const auto left = attached.frames[0].second - Instant{50us};
  EXPECT_GT(left, 3 * round_trip + data + config.pipeline_latency);
  EXPECT_LT(left, 4 * round_trip + 2 * data + config.pipeline_latency);
  // Payload arrives after the pipeline, its way and its bytes, and is announced after the time-out.
  const auto payload = attached.arrivals.at(T::buffer(0)) - Instant{100us};
  EXPECT_GT(payload, 300ns + 150ns + 1000ns);
  EXPECT_LT(payload, 300ns + 150ns + 1300ns);
  EXPECT_GT(attached.arrivals.at(T::rx_completions(0)) - Instant{100us}, 1us + 300ns);
  Descriptor32 completion{};
  memory.read(T::rx_completions(0), completion);
  EXPECT_EQ(decode_rx_completion(completion).payload_length, 1000u);
  EXPECT_TRUE(std::ranges::equal(std::span{memory.bytes}.subspan(T::buffer(0), 1000), std::span{frame}.last(1000)));
}

}  // namespace
}  // namespace peerpath::nic::gve
