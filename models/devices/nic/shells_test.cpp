// One recording of doorbells and frames, through both shells of the datapath: the model's endpoint, whose driver shares
// its rings, and the emulated NIC, whose driver writes gve descriptors into memory. The datapath asks for the same
// transactions. One recording is made up, the other is what Linux's gve driver did in a guest (testdata/README.md).
#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <sstream>

#include "devices/nic/nic.hpp"
#include "devices/nic/test_driver.hpp"

namespace peerpath::nic {
namespace {

using gve::TestDriver;
using Log = std::vector<fabric::Transaction>;

constexpr QueueIndex queue{0};
constexpr std::uint64_t packets_at = 0x1c0000;
constexpr std::int64_t doorbell_bar = 0x5000;

/// What happens: buffers are posted, a frame comes in, or a packet is to be sent.
struct Event {
  enum Kind : std::uint8_t { post, frame, send } kind;
  std::uint32_t count = 0;    ///< of buffers
  std::uint32_t payload = 0;  ///< of frames and packets
  std::uint16_t mss = 0;
};

using Recording = std::vector<Event>;

Recording made_up() {
  Recording e{{Event::post, 40, 0, 0}};
  for (std::uint32_t i = 0; i < 30; ++i) e.push_back({Event::frame, 0, 1 + i * 287 % 9000, 0});
  e.push_back({Event::post, 60, 0, 0});
  for (std::uint32_t i = 0; i < 25; ++i) {
    e.push_back({Event::send, 0, 1 + i * 1237, static_cast<std::uint16_t>(i % 3 == 0 && i > 0 ? 1448 : 9000 - 54)});
    if (i % 5 == 0) e.push_back({Event::frame, 0, 64 + i, 0});
  }
  return e;
}

/// Lines "post N", "frame PAYLOAD" and "send PAYLOAD MSS".
Recording of_a_guest() {
  Recording out;
  std::ifstream in{NIC_RECORDING};
  for (std::string line, word; std::getline(in, line);) {
    std::istringstream words{line};
    Event e{};
    words >> word;
    if (word == "post") words >> e.count;
    if (word == "frame" || word == "send") words >> e.payload;
    if (word == "send") words >> e.mss;
    e.kind = word == "post" ? Event::post : word == "frame" ? Event::frame : Event::send;
    EXPECT_TRUE(words && (word == "post" || word == "frame" || word == "send")) << line;
    out.push_back(e);
  }
  return out;
}

net::HeaderBytes header_of(std::uint32_t payload) {
  net::FrameSpec spec;
  spec.key = net::generated_flow(3);
  spec.payload = Bytes{payload};
  return net::build(spec);
}

device::Frame short_frame(const net::HeaderBytes& header, std::uint32_t payload) {
  device::Frame frame;
  frame.header_size = header.size;
  std::ranges::copy(header.bytes(), frame.header);
  frame.size = Bytes{header.size} + Bytes{payload};
  return frame;
}

gve::Offer offer() {
  gve::Offer offer;
  offer.queues = 1;
  offer.max_entries = TestDriver::entries;
  return offer;
}

Log emulated(const Recording& recording) {
  gve::TestHost host{0x200000};
  gve::Nic nic{offer(), host};
  TestDriver driver{nic, host};
  driver.steer_all(0);
  driver.create_rx(0, 4096, 128);
  driver.create_tx(0);
  Log log;
  nic.record(&log);
  for (const auto& event : recording) {
    const auto header = header_of(event.payload);
    std::vector<std::uint8_t> frame(header.bytes().begin(), header.bytes().end());
    frame.resize(header.size + event.payload);
    if (event.kind == Event::post) driver.post(0, event.count);
    if (event.kind == Event::frame) driver.receive(frame);
    if (event.kind == Event::send) {
      host.memory.write(packets_at, frame);
      const std::uint64_t data = packets_at + header.size;
      std::vector<TestDriver::Piece> pieces{{packets_at, header.size}};
      for (std::uint32_t at = 0; at < event.payload; at += 16383)
        pieces.push_back({data + at, std::min(event.payload - at, 16383u)});
      driver.send(0, pieces, event.mss, static_cast<std::uint8_t>(header.size));
    }
    host.run();
  }
  return log;
}

/// The model's NIC, whose transactions end at once and in order.
class Modelled final : private device::Outbox {
 public:
  Modelled() {
    auto& places = memory_->queue(queue).places;
    places.buffers.address = BusAddress{TestDriver::rx_ring(0)};
    places.rx_completions.address = BusAddress{TestDriver::rx_completions(0)};
    places.tx.address = BusAddress{TestDriver::tx_ring(0)};
    places.tx_completions.address = BusAddress{TestDriver::tx_completions(0)};
    memory_->queue(queue).rx_shape = RxShape{Bytes{4096}, Bytes{128}};
    nic_.datapath().stop_rx(queue, now_);  // it takes the places when it starts
    nic_.datapath().stop_tx(queue);
    nic_.datapath().start_rx(queue);
    nic_.datapath().start_tx(queue);
  }

  Log run(const Recording& recording) {
    for (const auto& event : recording) {
      now_ += std::chrono::nanoseconds{1};
      if (event.kind == Event::post) post(event.count);
      if (event.kind == Event::frame)
        nic_.on_frame(0, short_frame(header_of(event.payload), event.payload), now_, *this);
      if (event.kind == Event::send) send(event);
      settle();
    }
    return log_;
  }

 private:
  void submit(fabric::ChannelIndex, const fabric::Transaction& t) override {
    log_.push_back(t);
    waiting_.push_back(t);
  }
  void respond(fabric::RequestId, Instant, pcie::Status) override {}
  void wake_at(device::TimerId timer, Instant when) override { timers_[timer] = when; }
  void transmit(int, const device::Frame&, Instant) override {}

  void ring(Doorbell doorbell, std::uint32_t value) {
    fabric::Delivery d;
    d.kind = fabric::DeliveryKind::arrived;
    d.purpose = pcie::Purpose::doorbell;
    d.address = static_cast<std::uint64_t>((BusAddress{doorbell_bar} + doorbell_offset(queue, doorbell)).value());
    d.cookie = value;
    d.done = now_;
    nic_.on_delivery(d, *this);
  }
  void post(std::uint32_t count) {
    for (; count > 0; --count, ++posted_)
      memory_->queue(queue).buffers.at(posted_) = {BufferId{posted_},
                                                   {{}, BusAddress{TestDriver::header(posted_)}},
                                                   {{}, BusAddress{TestDriver::buffer(posted_)}}};
    ring(Doorbell::rx_buffers, posted_);
  }
  void send(const Event& event) {
    auto& rings = memory_->queue(queue);
    TxDescriptor d;
    rings.tx_headers.at(sent_) = header_of(event.payload);
    d.header_length = rings.tx_headers.at(sent_).size;
    d.header.address = BusAddress{packets_at};
    d.payload.address = BusAddress{packets_at} + Bytes{d.header_length};
    d.payload_length = event.payload;
    d.mss = event.mss;
    rings.tx.at(sent_++) = d;
    ring(Doorbell::tx_packets, sent_);
  }
  void settle() {
    while (!waiting_.empty() || !timers_.empty()) {
      if (waiting_.empty()) {
        const auto next = std::ranges::min_element(timers_, {}, [](const auto& t) { return t.second; });
        const auto timer = next->first;
        now_ = std::max(now_, next->second);
        timers_.erase(next);
        nic_.on_wake(timer, now_, *this);
        continue;
      }
      const auto t = waiting_.front();
      waiting_.pop_front();
      fabric::Delivery d;
      d.kind = t.op == pcie::Operation::memory_read ? fabric::DeliveryKind::completed : fabric::DeliveryKind::arrived;
      d.cookie = t.cookie;
      d.purpose = t.purpose;
      d.address = t.address;
      d.bytes = t.bytes;
      d.done = now_;
      const auto cookie = Cookie::unpack(t.cookie);
      if (d.kind == fabric::DeliveryKind::completed) {
        nic_.on_delivery(d, *this);
      } else {
        nic_.on_computed(d);
        d.kind = fabric::DeliveryKind::sent;
        if (t.notify_sent) nic_.on_delivery(d, *this);
      }
      // A driver that has read everything arms again.
      if (cookie.dma == Dma::rx_completions) ring(Doorbell::rx_arm, cookie.value + cookie.count);
      if (cookie.dma == Dma::tx_completions) ring(Doorbell::tx_arm, cookie.value + cookie.count);
    }
  }

  std::shared_ptr<QueueMemory> memory_ = std::make_shared<QueueMemory>(1, TestDriver::entries);
  nic::Nic nic_{gve::Nic::functional(offer()), memory_, BusAddress{doorbell_bar}};
  Log log_;
  std::deque<fabric::Transaction> waiting_;
  std::map<device::TimerId, Instant> timers_;
  Instant now_{};
  std::uint32_t posted_ = 0, sent_ = 0;
};

std::string text(const fabric::Transaction& t) {
  return std::to_string(static_cast<int>(Cookie::unpack(t.cookie).dma)) +
         (t.op == pcie::Operation::memory_read ? " read " : " write ") + std::to_string(static_cast<int>(t.purpose)) +
         " " + std::to_string(t.bytes.count()) + " B at " + std::to_string(t.address);
}

/// What the first transaction is that the two have not in common; nothing if there is none.
std::string difference(const Log& emulator, const Log& model) {
  for (std::size_t i = 0; i < std::min(emulator.size(), model.size()); ++i) {
    // Interrupts are told by vector here and by address there.
    if (emulator[i].purpose == pcie::Purpose::interrupt && model[i].purpose == pcie::Purpose::interrupt) continue;
    if (text(emulator[i]) != text(model[i]))
      return std::to_string(i) + ": " + text(emulator[i]) + " | " + text(model[i]);
  }
  if (emulator.size() == model.size()) return {};
  return std::to_string(emulator.size()) + " transactions, and " + std::to_string(model.size());
}

TEST(BothShells, AskForTheSameTransactions) {
  const auto log = emulated(made_up());
  ASSERT_GT(log.size(), 200u);
  EXPECT_EQ(difference(log, Modelled{}.run(made_up())), "");
}

TEST(BothShells, AskForTheSameTransactionsAsInAGuest) {
  const auto recording = of_a_guest();
  for (const auto kind : {Event::post, Event::frame, Event::send})
    EXPECT_GT(std::ranges::count(recording, kind, &Event::kind), 10) << "kind " << kind;
  const auto log = emulated(recording);
  EXPECT_GT(log.size(), 2 * recording.size());
  EXPECT_EQ(difference(log, Modelled{}.run(recording)), "");
}

TEST(BothShells, AnyDifferenceIsSeen) {
  const auto log = emulated(of_a_guest());
  const auto planted = [&](Event::Kind kind, auto change) {
    auto other = of_a_guest();
    change(*std::ranges::find(other, kind, &Event::kind));
    return difference(log, Modelled{}.run(other));
  };
  EXPECT_NE(planted(Event::frame, [](Event& e) { ++e.payload; }), "");
  EXPECT_NE(planted(Event::send, [](Event& e) { ++e.payload; }), "");
  EXPECT_NE(planted(Event::post, [](Event& e) { --e.count; }), "");
  auto shorter = of_a_guest();
  shorter.pop_back();
  EXPECT_NE(difference(log, Modelled{}.run(shorter)), "");
}

}  // namespace
}  // namespace peerpath::nic
