#include "devices/nic/gve_nic.hpp"

#include <algorithm>
#include <utility>

namespace peerpath::nic::gve {
namespace {

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

Nic::Nic(const Offer& offer, Host& host) : Nic{offer, functional(offer), host} {}

Nic::Nic(const Offer& offer, const device::NicConfig& config, Host& host)
    : offer_{offer},
      host_{host},
      issuer_{host},
      memory_{offer.queues, offer.max_entries},
      receive_{offer, issuer_, memory_},
      transmit_{offer, host, issuer_, memory_},
      datapath_{config, memory_},
      registers_{offer, *this, *this},
      pairs_(static_cast<std::size_t>(offer.queues)),
      vectors_(static_cast<std::size_t>(offer.vectors)) {
  datapath_.reset(now_);
}

void Nic::read(std::uint64_t address, std::size_t size) {
  issuer_.read(descriptor_channel, {Continuation::Part::admin, {}, registers_.life()}, address, size,
               pcie::Purpose::control, now_);
}
void Nic::write(std::uint64_t address, std::span<const std::uint8_t> from) {
  issuer_.write(write_channel, {Continuation::Part::admin, {}, registers_.life()}, address, {.bytes = from},
                pcie::Purpose::control, now_);
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
  datapath_.stop_rx(queue, now_);
  receive_.destroy(queue, now_);
}

void Nic::destroy_tx(QueueIndex queue) {
  pairs_[queue.value()].tx = false;
  datapath_.stop_tx(queue);
  transmit_.destroy(queue);
}

void Nic::rx_tail(QueueIndex queue, std::uint32_t tail) {
  datapath_.doorbell(queue, Doorbell::rx_buffers, receive_.producer(queue, tail), now_, *this);
  settle();
}
void Nic::tx_tail(QueueIndex queue, std::uint32_t tail) { transmit_.ring(queue, tail, now_); }

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

void Nic::transmit(int, const device::Frame& frame, Instant when) { transmit_.send(frame, when); }

void Nic::receive(std::span<const std::uint8_t> bytes) {
  if (busy_ || !queued_.empty()) {  // what the NIC sends may come back before it is done
    if (queued_.size() < most_queued)
      queued_.emplace_back(bytes.begin(), bytes.end());
    else
      ++lost_reentrant_;
    return;
  }
  const AtWork here{busy_};
  frame(bytes);
  settle();
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

bool Nic::flush() {
  if (busy_) return coalescer_.holds();
  const AtWork here{busy_};
  if (coalescer_.holds())
    coalescer_.flush_oldest([&](std::span<const std::uint8_t> merged, std::uint16_t segment) {
      deliver(merged, {.layer4 = net::Layer4Checksum::good, .rsc_segment = segment});
    });
  settle();
  return coalescer_.holds();
}

void Nic::deliver(std::span<const std::uint8_t> bytes, const RxOffload& offload) {
  device::Frame frame;
  frame.size = Bytes{static_cast<std::int64_t>(bytes.size())};
  frame.header_size = static_cast<std::uint16_t>(std::min<std::size_t>(bytes.size(), device::Frame::header_capacity));
  std::copy_n(bytes.begin(), frame.header_size, frame.header);
  const auto parsed = net::parse(bytes.first(frame.header_size), frame.size);
  const auto queue = datapath_.steering()(parsed).queue;
  if (offload.rsc_segment > 0) ++coalesced_;
  frame.handle = receive_.open(bytes, parsed, queue, offload);
  datapath_.on_frame(frame, now_, *this);
  receive_.keep(frame.handle);
}

void Nic::submit(fabric::ChannelIndex, const fabric::Transaction& t) {
  if (log_ != nullptr) log_->push_back(t);
  const auto cookie = Cookie::unpack(t.cookie);
  switch (cookie.dma) {
    case Dma::rx_data:
    case Dma::rx_completions:
    case Dma::rx_descriptors:
      return receive_.submit(cookie, t, now_);
    case Dma::tx_completions:
      return transmit_.write_completions(cookie, t);
    case Dma::tx_data:
      return transmit_.read(cookie, t);
    case Dma::tx_descriptors:
      at_hand_.push_back(t);  // they were read before the datapath heard of them
      return;
    case Dma::interrupt: {
      const auto& pair = pairs_[cookie.queue.value()];
      return fire(cookie.value % 2 == 0 ? pair.rx_vector : pair.tx_vector);
    }
  }
}

bool Nic::current(const Continuation& then) const {
  using Part = Continuation::Part;
  if (then.part == Part::admin) return then.life == registers_.life();
  const auto dma = Cookie::unpack(then.asked.cookie).dma;
  const bool receive = dma == Dma::rx_data || dma == Dma::rx_completions || dma == Dma::rx_descriptors;
  if (then.part == Part::datapath && receive) return receive_.current(then);
  return transmit_.current(then);
}

void Nic::on_delivery(const fabric::Delivery& d, std::span<const std::uint8_t> data) {
  const AtWork here{busy_};
  set_time(d.done);
  if (d.kind == fabric::DeliveryKind::sent) {
    const auto* then = issuer_.find(d.cookie);
    if (then != nullptr && then->asked.notify_sent) completions_sent(Continuation{*then}, d);
  } else if (const auto then = issuer_.end(d.cookie)) {
    using Part = Continuation::Part;
    if (d.status != pcie::Status::success && then->part != Part::admin) ++dma_errors_;
    if (then->part == Part::nothing ||
        (then->part == Part::datapath && then->asked.op == pcie::Operation::memory_write))
      arrived(*then, d);
    else
      goes_on(*then, d, data);
    proceed();
  }
  settle();
}

void Nic::on_computed(const fabric::Delivery& d) {
  if (d.kind == fabric::DeliveryKind::sent) {
    const auto* then = issuer_.find(d.cookie);
    if (then == nullptr || then->part != Continuation::Part::datapath) return;
    auto told = d;
    told.cookie = then->asked.cookie;
    return datapath_.frame_sent_computed(told);
  }
  const auto* found = issuer_.find(d.cookie);
  if (found == nullptr || found->part == Continuation::Part::admin) return;  // which reacts to it
  const bool fenced = issuer_.fenced();
  const auto then = *issuer_.end(d.cookie);
  latest_ = std::max(latest_, d.done);
  if (!fenced) fence_at_ = std::max(fence_at_, d.done);
  if (fencing_ && !fenced && issuer_.fenced()) ask();
  if (d.status != pcie::Status::success) ++dma_errors_;
  arrived(then, d);
}

/// The datapath only notes it.
void Nic::arrived(const Continuation& then, const fabric::Delivery& d) {
  if (then.part == Continuation::Part::nothing) return;
  auto told = d;
  told.cookie = then.asked.cookie;
  const bool data = Cookie::unpack(told.cookie).dma == Dma::rx_data;
  if (data && d.status != pcie::Status::success) receive_.write_failed(then, d.done);
  if (data || current(then)) datapath_.write_computed(told);  // a frame ends whatever became of its queue
}

void Nic::completions_sent(const Continuation& then, const fabric::Delivery& d) {
  if (!current(then)) return;
  const auto cookie = Cookie::unpack(then.asked.cookie);
  auto told = d;
  told.cookie = then.asked.cookie;
  datapath_.completions_sent(told, *this);
  // The guest's own arming is that of the vector; the datapath is to tell of each batch.
  datapath_.doorbell(cookie.queue, cookie.dma == Dma::rx_completions ? Doorbell::rx_arm : Doorbell::tx_arm,
                     cookie.value + cookie.count, now_, *this);
}

void Nic::goes_on(const Continuation& then, const fabric::Delivery& d, std::span<const std::uint8_t> data) {
  using Part = Continuation::Part;
  if (!current(then)) return;
  const bool success = d.status == pcie::Status::success;
  auto told = d;
  switch (then.part) {
    case Part::admin:
      return registers_.delivered(success, data);
    case Part::tx_ring:
      transmit_.descriptors_read(then, success, data, now_);
      return descriptors_posted(then.queue);
    case Part::tx_look:
      transmit_.looked(then, success, data);
      return descriptors_posted(then.queue);
    case Part::tx_header:
    case Part::tx_payload: {
      const auto read = transmit_.piece_read(then, success, data);
      if (!read) return;
      told.cookie = read->asked.cookie;
      told.status = read->success ? pcie::Status::success : pcie::Status::unsupported_request;
      return datapath_.read_completed(told, *this);
    }
    case Part::datapath:
      if (success) receive_.descriptors_read(then, data);
      told.cookie = then.asked.cookie;
      return datapath_.read_completed(told, *this);
    case Part::nothing:
      return;
  }
}

/// Packets whose headers are known are there for the datapath.
void Nic::descriptors_posted(QueueIndex queue) {
  datapath_.doorbell(queue, Doorbell::tx_packets, transmit_.posted(queue), now_, *this);
}

void Nic::on_wake(Instant now) {
  if (busy_) return;
  const AtWork here{busy_};
  set_time(now);
  asked_ = never;
  for (auto next = timers_.begin(); next != timers_.end();) {
    if (next->second > now_) {
      ++next;
      continue;
    }
    const auto timer = next->first;
    timers_.erase(next);
    datapath_.on_timer(timer, now_, *this);
    next = timers_.upper_bound(timer);
  }
  if (!queued_.empty()) {
    const auto oldest = std::move(queued_.front());
    queued_.pop_front();
    frame(oldest);
  }
  proceed();
  settle();
}

void Nic::fence() {
  issuer_.fence();
  fence_at_ = latest_;
  fencing_ = !fenced();
  if (fencing_) ask();
}

void Nic::proceed() {
  if (!fencing_ || !fenced()) return;
  fencing_ = false;
  registers_.proceed();
}

/// Ends the datapath's reads of what is here, and sees to it that its timers expire. Each read comes from a bounded
/// number of descriptors, so this ends.
void Nic::settle() {
  while (!at_hand_.empty()) {
    const auto t = at_hand_.front();
    at_hand_.pop_front();
    fabric::Delivery d;
    d.cookie = t.cookie;
    d.done = now_;
    datapath_.read_completed(d, *this);
  }
  ask();
}

void Nic::ask() {
  Instant next = queued_.empty() ? never : now_;
  if (fencing_ && issuer_.fenced()) next = std::min(next, std::max(now_, fence_at_));
  for (const auto& [timer, when] : timers_) next = std::min(next, when);
  if (next != std::exchange(asked_, next)) host_.wake_at(next);
}

void Nic::set_link(bool up) {
  if (up == datapath_.link_up()) return;
  datapath_.set_link(up);
  fire(static_cast<std::uint32_t>(offer_.vectors - 1));
}

void Nic::reset() {
  issuer_.clear();
  at_hand_.clear();
  queued_.clear();
  coalescer_.drop();
  registers_.reset();
  datapath_.reset(now_);
  receive_.clear();
  fencing_ = false;
  fence_at_ = latest_ = now_;
  std::ranges::fill(vectors_, Vector{});
  asked_ = never;
  ask();  // timers that the datapath counts on expire all the same
}

void Nic::fail() {
  reset();
  registers_.request_reset();
  fire(static_cast<std::uint32_t>(offer_.vectors - 1));
}

Statistics Nic::statistics() const {
  auto counters = datapath_.counters();
  counters.tx_ring = transmit_.counters();
  return {counters,  dma_errors_, bad_checksums_, registers_.bad_doorbells(), registers_.refused_commands(),
          too_long_, coalesced_,  lost_reentrant_};
}

}  // namespace peerpath::nic::gve
