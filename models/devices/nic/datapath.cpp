#include "devices/nic/datapath.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"
#include "peerpath/net/ethernet.hpp"

namespace peerpath::nic {
namespace {

constexpr Bytes vlan_tags{8};  ///< up to two tags do not count against the MTU

/// Headers go to the header buffer only in front of TCP or UDP payload, and only if they fit.
bool can_split(const net::ParsedFrame& p, const RxShape& shape) {
  const bool known = p.key.layer4 == net::Layer4::tcp || p.key.layer4 == net::Layer4::udp;
  return known && p.error == net::ParseError::none && Bytes{p.header_length} <= shape.header_buffer_size;
}

}  // namespace

Datapath::Datapath(const device::NicConfig& config, QueueMemory& memory)
    : nic_{config, memory}, steering_{config.queues}, transmitter_{nic_} {
  require(memory.queues() == config.queues, "the queue memory and the NIC have different queues");
  for (int i = 0; i < config.queues; ++i) {
    const QueueIndex queue{static_cast<std::uint16_t>(i)};
    rx_.emplace_back(nic_, queue);
    tx_.emplace_back(nic_, queue);
  }
  if (config.coalesce > Bytes{0}) merger_.emplace(config.coalesce, config.coalesce_wait);
}

void Datapath::drop(Drop why, const device::Frame& frame, Bytes payload, Instant now) {
  ++nic_.counters.rx_dropped[static_cast<std::size_t>(why)];
  nic_.counters.rx_dropped_payload += payload;
  // A frame that cannot be parsed: every byte after its header counts as payload.
  if (why == Drop::malformed) payload = frame.size - Bytes{frame.header_size};
  nic_.memory.journal().dropped(frame.handle, why, now, payload);
}

void Datapath::on_frame(const device::Frame& frame, Instant now, device::Outbox& out) {
  const std::size_t at_hand = std::min<std::size_t>(frame.header_size, device::Frame::header_capacity);
  auto parsed = net::parse({frame.header, at_hand}, frame.size);
  const auto drop = [&](Drop why) { this->drop(why, frame, parsed.payload, now); };
  using net::ParseError;
  if (!link_up_) return drop(Drop::link_down);
  if (parsed.error == ParseError::truncated || parsed.error == ParseError::bad_header) return drop(Drop::malformed);
  const auto& config = nic_.config;
  const auto steered = steering_(parsed);
  auto& queue = rx_[steered.queue.value()];
  if (!queue.running()) return drop(Drop::queue_stopped);
  auto& rings = nic_.memory.queue(steered.queue);
  const auto shape = rx_shape(nic_, rings);
  const bool split = can_split(parsed, shape);
  if (frame.size > config.mtu + net::ethernet_header + vlan_tags ||
      (split ? parsed.payload : frame.size) > shape.buffer_size * device::sure_buffers(rings.buffers.size()))
    return drop(Drop::too_long);
  if (!nic_.fifo.accept(frame.size, now)) return drop(queue.starved() ? Drop::no_buffer : Drop::fifo_full);
  auto& counters = nic_.counters;
  counters.rx_fifo_peak = nic_.fifo.peak();

  RxFrame in;
  in.layer3 = parsed.key.layer3;
  in.layer4 = parsed.key.layer4;
  in.error = parsed.error != ParseError::none;
  if (parsed.key.layer4 == net::Layer4::tcp && parsed.payload == Bytes{0}) in.headers = pcie::Purpose::control;
  in.ready = nic_.receiving.take(now) + config.pipeline_latency;
  if (split) {
    in.header_length = parsed.header_length;
  } else {
    if (shape.header_buffer_size > Bytes{0}) ++counters.rx_not_split;
    in.in_front = parsed.header_length;
    parsed.payload = frame.size - Bytes{parsed.header_length};
  }
  in.record = {.handle = frame.handle,
               .queue = steered.queue,
               .payload = parsed.payload,
               .frame = frame.size,
               .rss_hash = steered.hash,
               .wire = now,
               .memory = {},
               .application = {}};
  ++counters.rx_frames;
  counters.rx_bytes += frame.size;
  counters.rx_payload += parsed.payload;
  if (!merger_ || parsed.key.layer4 != net::Layer4::tcp) return queue.frame(in, now, out);
  coalesce(in, parsed, shape.buffer_size * device::sure_buffers(rings.buffers.size()), now, out);
}

void Datapath::coalesce(const RxFrame& frame, const net::ParsedFrame& parsed, Bytes most, Instant now,
                        device::Outbox& out) {
  const auto before = merger_->due();
  const auto deliver = [&](const RxFrame& packet) { rx_[packet.record.queue.value()].frame(packet, now, out); };
  if (parsed.fragment) {
    merger_->let_go(parsed.key, deliver);
    deliver(frame);
  } else {
    merger_->take({frame, parsed.key, parsed.tcp_sequence, parsed.tcp_flags, most - Bytes{frame.in_front}}, now,
                  deliver);
  }
  if (merger_->due() != before) out.wake_at(coalesce_timer, merger_->due());
}

void Datapath::doorbell(QueueIndex index, Doorbell doorbell, std::uint32_t value, Instant now, device::Outbox& out) {
  if (index.value() >= rx_.size()) {
    ++nic_.counters.bad_doorbells;
    return;
  }
  auto& rx = rx_[index.value()];
  auto& tx = tx_[index.value()];
  switch (doorbell) {
    case Doorbell::rx_buffers:
      return rx.buffers_posted(value, now, out);
    case Doorbell::rx_arm:
      return rx.completions().arm(value, now, out);
    case Doorbell::tx_packets:
      return tx.packets_posted(value, now, out);
    case Doorbell::tx_arm:
      return tx.completions().arm(value, now, out);
  }
}

void Datapath::read_completed(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto cookie = Cookie::unpack(delivery.cookie);
  const Instant now = delivery.done;
  if (cookie.queue.value() >= rx_.size()) return;
  auto& tx = tx_[cookie.queue.value()];
  if (cookie.dma == Dma::rx_descriptors) {
    rx_[cookie.queue.value()].descriptors_read(cookie, delivery.status, now, out);
  } else if (cookie.dma == Dma::tx_descriptors) {
    if (tx.descriptors_read(cookie, delivery.status)) transmitter_.serve(tx_, now, out);
  } else if (cookie.dma == Dma::tx_data) {
    tx.data_read(cookie, delivery.status);
    transmitter_.send_ready(tx, now, out);
    transmitter_.serve(tx_, now, out);
  }
}

void Datapath::write_computed(const fabric::Delivery& delivery) {
  const auto cookie = Cookie::unpack(delivery.cookie);
  auto& journal = nic_.memory.journal();
  if (cookie.dma == Dma::rx_data) {
    journal.written(PacketIndex{cookie.value}, delivery.done, delivery.status == pcie::Status::success);
  } else if (cookie.dma == Dma::rx_completions) {
    nic_.memory.queue(cookie.queue).rx_completions.arrived(cookie.value, cookie.count, delivery.done);
  } else if (cookie.dma == Dma::tx_completions) {
    nic_.memory.queue(cookie.queue).tx_completions.arrived(cookie.value, cookie.count, delivery.done);
  }
}

void Datapath::frame_sent_computed(const fabric::Delivery& delivery) {
  const PacketIndex packet{Cookie::unpack(delivery.cookie).value};
  nic_.fifo.release(nic_.memory.journal().at(packet).frame, delivery.done);
}

void Datapath::completions_sent(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto cookie = Cookie::unpack(delivery.cookie);
  const auto queue = cookie.queue.value();
  auto& completions = cookie.dma == Dma::rx_completions ? rx_[queue].completions() : tx_[queue].completions();
  completions.sent(cookie, delivery.done, out);
}

void Datapath::on_timer(device::TimerId timer, Instant now, device::Outbox& out) {
  if (timer == tx_space_timer) return transmitter_.serve(tx_, now, out);
  if (timer == coalesce_timer && merger_) {
    merger_->on_timer(now, [&](const RxFrame& packet) { rx_[packet.record.queue.value()].frame(packet, now, out); });
    return out.wake_at(coalesce_timer, merger_->due());
  }
  const std::size_t queue = timer.value() / 4u;
  if (queue >= rx_.size()) return;
  switch (static_cast<Timer>(timer.value() % 4)) {
    case Timer::rx_writeback:
      return rx_[queue].completions().on_writeback_timer(now, out);
    case Timer::rx_interrupt:
      return rx_[queue].completions().on_moderation_timer(now, out);
    case Timer::tx_writeback:
      return tx_[queue].completions().on_writeback_timer(now, out);
    case Timer::tx_interrupt:
      return tx_[queue].completions().on_moderation_timer(now, out);
  }
}

void Datapath::stop_rx(QueueIndex queue, Instant now) {
  if (merger_)
    merger_->drop(queue, [&](const RxFrame& packet) { rx_[queue.value()].drop(packet, Drop::queue_stopped, now); });
  rx_[queue.value()].stop(now);
}

void Datapath::reset(Instant now) {
  for (std::size_t n = 0; n < rx_.size(); ++n) stop_rx(QueueIndex{static_cast<std::uint16_t>(n)}, now);
  for (auto& queue : tx_) queue.stop();
  transmitter_.clear();
  nic_.fifo.clear();
  nic_.memory.journal().clear();
  steering_ = Steering{nic_.config.queues};
}

}  // namespace peerpath::nic
