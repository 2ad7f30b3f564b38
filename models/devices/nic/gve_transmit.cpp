#include "devices/nic/gve_transmit.hpp"

#include <algorithm>

#include "peerpath/net/ethernet.hpp"
#include "peerpath/net/layer4_checksum.hpp"

namespace peerpath::nic::gve {
namespace {

constexpr std::size_t descriptor = 16, batch = 32;

std::size_t size_of(Bytes n) { return static_cast<std::size_t>(n.count()); }

/// Headers that the datapath rewrites when it cuts, or Ethernet alone when there is nothing to rewrite.
std::uint16_t header_of(const TxPacket& packet, const net::ParsedFrame& parsed) {
  const bool known = parsed.key.layer4 == net::Layer4::tcp || parsed.key.layer4 == net::Layer4::udp;
  if (packet.mss > 0)
    return known && parsed.header_length == packet.header_length ? parsed.header_length : std::uint16_t{0};
  const bool whole = parsed.error == net::ParseError::none && parsed.header_length <= net::HeaderBytes::capacity;
  return whole ? parsed.header_length : static_cast<std::uint16_t>(net::ethernet_header.count());
}

/// Where the byte at `offset` of a packet is; what follows may lie elsewhere.
BusAddress place_of(const TxPacket& packet, std::size_t offset) {
  for (const auto& piece : packet.pieces) {
    if (offset < size_of(piece.size)) return piece.address + Bytes{static_cast<std::int64_t>(offset)};
    offset -= size_of(piece.size);
  }
  return {};
}

}  // namespace

Transmit::Transmit(const Offer& offer, Host& host, QueueMemory& memory)
    : host_{host},
      memory_{memory},
      max_frame_{offer.max_mtu + 14u + 8u},
      queues_(static_cast<std::size_t>(offer.queues)) {}

void Transmit::create(const TxQueueConfig& config) {
  auto& rings = memory_.queue(config.queue);
  memory_.resize(config.queue,
                 {rings.buffers.size(), rings.rx_completions.size(), config.entries, config.completion_entries});
  rings.places.tx.address = config.ring;
  rings.places.tx_completions.address = config.completion_ring;
  queues_[config.queue.value()] = {};
  queues_[config.queue.value()].config = config;
}

bool Transmit::behind(QueueIndex index, std::uint32_t tail) const {
  const auto& queue = queues_[index.value()];
  return !queue.stopped && ((tail - queue.head) & (queue.config.entries - 1u)) != 0;
}

std::uint32_t Transmit::take(QueueIndex index, std::uint32_t tail) {
  auto& queue = queues_[index.value()];
  if (!behind(index, tail)) return queue.posted;
  const std::uint32_t entries = queue.config.entries, slot = queue.head & (entries - 1);
  const auto count = std::min<std::uint32_t>({(tail - queue.head) & (entries - 1), batch, entries - slot});
  std::array<std::uint8_t, descriptor * batch> raw;
  if (!host_.read((queue.config.ring + Bytes{static_cast<std::int64_t>(slot * descriptor)}).value(),
                  std::span{raw}.first(count * descriptor), pcie::Purpose::descriptor)) {
    ++dma_errors_;
    queue.stopped = true;  // until it is created anew
    return queue.posted;
  }
  counters_.descriptors += count;
  counters_.descriptor_bytes += Bytes{static_cast<std::int64_t>(count * descriptor)};
  for (std::uint32_t i = 0; i < count; ++i) {
    Descriptor16 one;
    std::copy_n(raw.begin() + static_cast<std::ptrdiff_t>(i * descriptor), descriptor, one.begin());
    ++queue.head;
    if (auto result = queue.assembler.add(one)) post(queue, std::move(*result));
  }
  return queue.posted;
}

void Transmit::post(Queue& queue, TxAssembler::Result&& result) {
  Packet packet;
  packet.head = queue.head & (queue.config.entries - 1u);
  packet.description = std::move(result.packet);
  auto& rings = memory_.queue(queue.config.queue);
  TxDescriptor d;  // without a header it makes no sense, and the datapath refuses it
  d.tag = packet.description.tag;
  d.handle = static_cast<std::uint64_t>(queue.config.queue.value()) << 32 | queue.posted;
  const bool too_long = packet.description.mss == 0 && size_of(packet.description.size) > max_frame_;
  const std::size_t size = result.bad || too_long ? 0 : size_of(packet.description.size);
  auto& header = rings.tx_headers.at(queue.posted);
  const std::size_t look = std::min<std::size_t>(size, net::HeaderBytes::capacity);
  if (look >= size_of(net::ethernet_header)) {
    if (gather(packet.description, 0, std::span{header.data}.first(look), true, pcie::Purpose::header)) {
      packet.parsed = net::parse(std::span{header.data}.first(look), packet.description.size);
      packet.header = header_of(packet.description, packet.parsed);
    } else {
      ++dma_errors_;
    }
  }
  if (packet.header > 0) {
    header.size = packet.header;
    packet.size = size;
    packet.data = std::make_unique_for_overwrite<std::uint8_t[]>(size);
    std::copy_n(header.data.begin(), packet.header, packet.data.get());
    d.header.address = place_of(packet.description, 0);
    d.payload.address = place_of(packet.description, packet.header);
    d.header_length = packet.header;
    d.payload_length = static_cast<std::uint32_t>(size - packet.header);
    d.mss = packet.description.mss;
  }
  rings.tx.at(queue.posted++) = d;
  queue.packets.push_back(std::move(packet));
}

bool Transmit::gather(const TxPacket& packet, std::size_t from, std::span<std::uint8_t> into, bool look,
                      pcie::Purpose purpose) {
  for (const auto& piece : packet.pieces) {
    const std::size_t size = size_of(piece.size);
    if (from >= size) {
      from -= size;
      continue;
    }
    const auto part = into.first(std::min(size - from, into.size()));
    const std::uint64_t address = piece.address.value() + from;
    if (!(look ? host_.peek(address, part) : host_.read(address, part, purpose))) return false;
    into = into.subspan(part.size());
    from = 0;
    if (into.empty()) return true;
  }
  return into.empty();
}

Transmit::Packet* Transmit::find(QueueIndex index, std::uint32_t number) {
  auto& queue = queues_[index.value()];
  const std::uint32_t place = number - queue.first;
  return place < queue.packets.size() ? &queue.packets[place] : nullptr;
}

pcie::Status Transmit::read_data(const Cookie& cookie, const fabric::Transaction& t) {
  auto* packet = find(cookie.queue, cookie.value);
  if (packet == nullptr) return pcie::Status::no_answer;
  const bool header = t.purpose != pcie::Purpose::payload;
  std::array<std::uint8_t, net::HeaderBytes::capacity> again;  // the look's bytes stand
  const auto into = header ? std::span{again}.first(packet->header) : packet->bytes().subspan(packet->header);
  auto purpose = t.purpose;
  if (header && (packet->parsed.tcp_flags & net::tcp_syn) != 0) before_.opened(packet->parsed);
  if (!header && before_.again(packet->parsed, static_cast<std::int64_t>(into.size())))
    purpose = pcie::Purpose::retransmission;
  if (gather(packet->description, header ? 0 : packet->header, into, false, purpose)) return pcie::Status::success;
  ++dma_errors_;
  return pcie::Status::unsupported_request;
}

void Transmit::send(const device::Frame& frame) {
  const QueueIndex index{static_cast<std::uint16_t>(frame.handle >> 32)};
  auto* packet = find(index, static_cast<std::uint32_t>(frame.handle));
  if (packet == nullptr) return;
  const std::size_t mss = packet->description.mss, left = packet->size - packet->header - packet->sent;
  const std::size_t payload = mss > 0 ? std::min(mss, left) : left;
  // The header goes right in front of its payload, over bytes that have left already.
  const std::size_t start = packet->sent;
  auto bytes = packet->bytes().subspan(start, packet->header + payload);
  std::copy_n(frame.header, packet->header, bytes.begin());
  packet->sent += payload;
  const auto& p = packet->parsed;
  if (mss > 0)
    net::fill_layer4(bytes, p, bytes.size() - p.layer4_offset);
  else if (packet->description.checksum_offload && p.error == net::ParseError::none)
    net::fill_layer4(bytes, p, p.header_length - p.layer4_offset + size_of(p.payload));
  if (bytes.size() >= size_of(net::min_frame)) return host_.transmit(bytes);
  std::array<std::uint8_t, 60> padded{};
  static_assert(padded.size() == net::min_frame.count());
  std::ranges::copy(bytes, padded.begin());
  host_.transmit(padded);
}

std::uint32_t Transmit::write_completions(const Cookie& cookie, pcie::Purpose purpose) {
  auto& queue = queues_[cookie.queue.value()];
  for (std::uint32_t i = 0; i < cookie.count && !queue.packets.empty(); ++i) {
    const auto& packet = queue.packets.front();
    complete(queue, TxEvent::packet, packet.description.tag, purpose);
    // The driver takes ring space back only on these.
    if (packet.description.report_event)
      complete(queue, TxEvent::descriptor, static_cast<std::uint16_t>(packet.head), purpose);
    queue.packets.pop_front();
    ++queue.first;
  }
  return cookie.value + cookie.count;
}

void Transmit::complete(Queue& queue, TxEvent event, std::uint16_t value, pcie::Purpose purpose) {
  const std::uint32_t entries = queue.config.completion_entries, slot = queue.completions & (entries - 1);
  const auto raw = encode_tx_completion(queue.config.queue, event, value, (queue.completions & entries) == 0);
  const auto at = queue.config.completion_ring + Bytes{static_cast<std::int64_t>(slot * raw.size())};
  ++queue.completions;
  ++counters_.completions;
  counters_.completion_bytes += Bytes{static_cast<std::int64_t>(raw.size())};
  if (!host_.publish(at.value(), raw, 0, purpose)) ++dma_errors_;
}

}  // namespace peerpath::nic::gve
