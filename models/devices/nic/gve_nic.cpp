#include "devices/nic/gve_nic.hpp"

#include <algorithm>

namespace peerpath::nic::gve {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t frame_overhead = 14 + 8;  ///< Ethernet and two VLAN tags

/// Says that the NIC is at work, until the end of a block, however that comes.
class AtWork {
 public:
  explicit AtWork(bool& busy) : busy_{busy} { busy_ = true; }
  ~AtWork() { busy_ = false; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  bool& busy_;
};

}  // namespace

device::NicConfig Nic::functional(const Offer& offer) {
  device::NicConfig config;
  config.queues = offer.queues;
  config.ring_entries = offer.max_entries;
  config.buffer_size = Bytes{offer.buffer_size};
  config.header_buffer_size = Bytes{offer.header_buffer_size};
  config.pipeline_latency = config.writeback_timeout = config.interrupt_moderation = Duration{0};
  config.writeback_batch = 32;
  config.interrupt_frames = 1;
  config.mtu = Bytes{65535};  // coalesced frames are longer than any on the wire, whose length is checked before
  return config;
}

Nic::Nic(const Offer& offer, Host& host)
    : offer_{offer},
      host_{host},
      memory_{offer.queues, offer.max_entries},
      receive_{offer, host, memory_},
      transmit_{offer, host, memory_},
      datapath_{functional(offer), memory_},
      registers_{offer, *this, *this},
      pairs_(static_cast<std::size_t>(offer.queues)),
      vectors_(static_cast<std::size_t>(offer.vectors)) {
  datapath_.reset(now_);
}

bool Nic::read(std::uint64_t address, std::span<std::uint8_t> into) {
  return host_.read(address, into, pcie::Purpose::control);
}
bool Nic::write(std::uint64_t address, std::span<const std::uint8_t> from) {
  return host_.write(address, from, pcie::Purpose::control);
}

void Nic::create_rx(const RxQueueConfig& config) {
  auto& pair = pairs_[config.queue.value()];
  pair.rx = true;
  const std::size_t sure = config.buffer_size * static_cast<std::size_t>(device::sure_buffers(config.buffer_entries));
  pair.coalesce = config.rsc_allowed && offer_.coalesce && sure >= Coalescer::most_frame;
  pair.rx_vector = config.vector;
  receive_.create(config);
  datapath_.start_rx(config.queue);
}

void Nic::create_tx(const TxQueueConfig& config) {
  auto& pair = pairs_[config.queue.value()];
  pair.tx = true;
  pair.tx_vector = config.vector;
  transmit_.create(config);
  datapath_.start_tx(config.queue);
}

void Nic::destroy_rx(QueueIndex queue) {
  pairs_[queue.value()].rx = pairs_[queue.value()].coalesce = false;
  coalescer_.drop();  // of other queues as well: the peer sends again what is not acknowledged
  forget({queue, false});
  datapath_.stop_rx(queue, now_);
}

void Nic::destroy_tx(QueueIndex queue) {
  pairs_[queue.value()].tx = false;
  forget({queue, true});
  datapath_.stop_tx(queue);
}

void Nic::rx_tail(QueueIndex queue, std::uint32_t tail) { ring({queue, false, tail}); }
void Nic::tx_tail(QueueIndex queue, std::uint32_t tail) { ring({queue, true, tail}); }

/// Doorbells of one queue in a row count as the last of them, and with too many waiting, any earlier one of that queue.
void Nic::ring(const Rung& rung) {
  const bool full = rung_.size() >= most_rung;
  const auto from = rung_.rbegin(), to = full ? rung_.rend() : from + (rung_.empty() ? 0 : 1);
  const auto earlier = std::find_if(from, to, [&](const Rung& r) { return r.same_queue(rung); });
  if (earlier != to)
    earlier->tail = rung.tail;
  else if (!full)
    rung_.push_back(rung);
}

void Nic::forget(const Rung& rung) {
  std::erase_if(rung_, [&](const Rung& r) { return r.same_queue(rung); });
}

void Nic::vector_doorbell(std::uint32_t index, std::uint32_t value) {
  auto& vector = vectors_[index];
  if ((value & 1) == 0) return;
  vector.enabled = true;
  if (std::exchange(vector.pending, false)) fire(index);
}

void Nic::fire(std::uint32_t index) {
  auto& vector = vectors_[index];
  const bool management = index + 1 == vectors_.size();  // the driver never masks it
  if (!vector.enabled && !management) {
    vector.pending = true;
    return;
  }
  vector.enabled = false;
  host_.interrupt(index);
}

void Nic::wake_at(device::TimerId timer, Instant when) {
  if (when == never)
    timers_.erase(timer);
  else
    timers_[timer] = when;
}

void Nic::transmit(int, const device::Frame& frame, Instant) { transmit_.send(frame); }

void Nic::run() {
  if (busy_ || !wants_run()) return;
  const AtWork here{busy_};
  do step();
  while (wants_run() && host_.go_on());
}

/// A few descriptors of the oldest doorbell, or the oldest frame.
void Nic::step() {
  if (rung_.empty()) {
    const auto oldest = std::move(queued_.front());
    queued_.pop_front();
    return frame(oldest);
  }
  answer(rung_.front());
  const auto& rung = rung_.front();
  if (!rung.transmit || !transmit_.behind(rung.queue, rung.tail)) rung_.pop_front();
}

void Nic::answer(const Rung& rung) {
  now_ += 1ns;
  const auto doorbell = rung.transmit ? Doorbell::tx_packets : Doorbell::rx_buffers;
  const auto producer =
      rung.transmit ? transmit_.take(rung.queue, rung.tail) : receive_.producer(rung.queue, rung.tail);
  datapath_.doorbell(rung.queue, doorbell, producer, now_, *this);
  settle();
}

void Nic::receive(std::span<const std::uint8_t> bytes) {
  if (busy_ || !queued_.empty()) {  // what the NIC sends may come back before it is done
    if (queued_.size() < most_queued)
      queued_.emplace_back(bytes.begin(), bytes.end());
    else
      ++lost_reentrant_;
    return;
  }
  {
    const AtWork here{busy_};
    frame(bytes);
  }
  run();
}

void Nic::frame(std::span<const std::uint8_t> bytes) {
  const auto head = bytes.first(std::min<std::size_t>(bytes.size(), device::Frame::header_capacity));
  const auto parsed = net::parse(head, Bytes{static_cast<std::int64_t>(bytes.size())});
  const auto queue = datapath_.steering()(parsed).queue;
  if (bytes.size() > offer_.max_mtu + frame_overhead) {
    ++too_long_;
    ++receive_.drops(queue).too_long;
    return;
  }
  RxOffload offload;
  offload.layer4 = net::check_layer4(bytes, parsed);
  offload.ipv6_extension = parsed.ipv6_extension;
  if (offload.layer4 == net::Layer4Checksum::bad) {
    ++bad_checksums_;
    ++receive_.drops(queue).bad_checksum;
  }
  const bool good = offload.layer4 == net::Layer4Checksum::good;
  if (!pairs_[queue.value()].coalesce || parsed.key.layer4 != net::Layer4::tcp || !good || !datapath_.link_up())
    return deliver(bytes, offload);
  coalescer_.take(bytes, parsed, [&](std::span<const std::uint8_t> merged, std::uint16_t segment) {
    offload.rsc_segment = segment;
    deliver(merged, offload);
  });
  if (coalescer_.holds()) host_.flush_soon();
}

void Nic::flush() {
  if (busy_) return;
  const AtWork here{busy_};
  while (coalescer_.holds()) {
    coalescer_.flush_oldest([&](std::span<const std::uint8_t> merged, std::uint16_t segment) {
      deliver(merged, {.layer4 = net::Layer4Checksum::good, .rsc_segment = segment});
    });
    if (coalescer_.holds() && !host_.go_on()) return host_.flush_soon();
  }
}

void Nic::deliver(std::span<const std::uint8_t> bytes, const RxOffload& offload) {
  now_ += 1ns;
  device::Frame frame;
  frame.size = Bytes{static_cast<std::int64_t>(bytes.size())};
  frame.header_size = static_cast<std::uint16_t>(std::min<std::size_t>(bytes.size(), device::Frame::header_capacity));
  std::copy_n(bytes.begin(), frame.header_size, frame.header);
  const auto parsed = net::parse(bytes.first(frame.header_size), frame.size);
  const auto queue = datapath_.steering()(parsed).queue;
  if (offload.rsc_segment > 0) ++coalesced_;
  frame.handle = receive_.open(bytes, parsed, queue, offload);
  datapath_.on_frame(frame, now_, *this);
  settle();
  receive_.keep(frame.handle);
}

/// Until the datapath has nothing to do but wait for the guest. Each transaction comes from a bounded number of
/// descriptors, so this ends.
void Nic::settle() {
  while (true) {
    if (!transactions_.empty()) {
      const auto t = transactions_.front();
      transactions_.pop_front();
      perform(t);
      continue;
    }
    const auto next = std::ranges::min_element(timers_, {}, [](const auto& timer) { return timer.second; });
    if (next == timers_.end()) return;
    const auto timer = next->first;
    now_ = std::max(now_, next->second);
    timers_.erase(next);
    datapath_.on_timer(timer, now_, *this);
  }
}

void Nic::perform(const fabric::Transaction& t) {
  const auto cookie = Cookie::unpack(t.cookie);
  auto& pair = pairs_[cookie.queue.value()];
  fabric::Delivery d;
  d.cookie = t.cookie;
  d.purpose = t.purpose;
  d.address = t.address;
  d.bytes = t.bytes;
  d.done = now_;
  switch (cookie.dma) {
    case Dma::rx_data:
      d.status = receive_.write_data(cookie, t);
      if (t.tell_sent) datapath_.frame_sent_computed(d);
      return datapath_.write_computed(d);
    case Dma::rx_completions: {
      const auto written = receive_.write_completions(cookie, t, now_);
      datapath_.write_computed(d);
      datapath_.completions_sent(d, *this);
      // The guest's own arming is that of the vector; the datapath is to tell of each batch.
      return datapath_.doorbell(cookie.queue, Doorbell::rx_arm, written, now_, *this);
    }
    case Dma::tx_completions: {
      const auto written = transmit_.write_completions(cookie, t.purpose);
      datapath_.write_computed(d);
      datapath_.completions_sent(d, *this);
      return datapath_.doorbell(cookie.queue, Doorbell::tx_arm, written, now_, *this);
    }
    case Dma::interrupt:
      return fire(cookie.value % 2 == 0 ? pair.rx_vector : pair.tx_vector);
    case Dma::rx_descriptors:
      d.status = receive_.read_descriptors(cookie, t);
      break;
    case Dma::tx_descriptors:
      break;  // they were read when the doorbell rang
    case Dma::tx_data:
      d.status = transmit_.read_data(cookie, t);
      break;
  }
  datapath_.read_completed(d, *this);
}

void Nic::set_link(bool up) {
  if (up == datapath_.link_up()) return;
  datapath_.set_link(up);
  fire(static_cast<std::uint32_t>(offer_.vectors - 1));
}

void Nic::reset() {
  transactions_.clear();
  timers_.clear();
  rung_.clear();
  queued_.clear();
  coalescer_.drop();
  registers_.reset();
  datapath_.reset(now_);
  receive_.clear();
  std::ranges::fill(vectors_, Vector{});
}

void Nic::fail() {
  reset();
  registers_.request_reset();
  fire(static_cast<std::uint32_t>(offer_.vectors - 1));
}

Statistics Nic::statistics() const {
  auto counters = datapath_.counters();
  counters.tx_ring = transmit_.counters();
  return {counters,
          receive_.dma_errors() + transmit_.dma_errors(),
          bad_checksums_,
          registers_.bad_doorbells(),
          registers_.refused_commands(),
          too_long_,
          coalesced_,
          lost_reentrant_};
}

}  // namespace peerpath::nic::gve
