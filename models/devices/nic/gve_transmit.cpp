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

Transmit::Transmit(const Offer& offer, Host& host, Issuer& issuer, QueueMemory& memory)
    : host_{host},
      issuer_{issuer},
      memory_{memory},
      max_frame_{offer.max_mtu + 14u + 8u},
      queues_(static_cast<std::size_t>(offer.queues)) {}

void Transmit::create(const TxQueueConfig& config) {
  auto& rings = memory_.queue(config.queue);
  memory_.resize(config.queue,
                 {rings.buffers.size(), rings.rx_completions.size(), config.entries, config.completion_entries});
  rings.places.tx.address = config.ring;
  rings.places.tx_completions.address = config.completion_ring;
  destroy(config.queue);
  queues_[config.queue.value()].config = config;
}

void Transmit::destroy(QueueIndex index) {
  auto& queue = queues_[index.value()];
  const auto life = queue.life + 1;
  queue = {};
  queue.life = life;
}

void Transmit::ring(QueueIndex index, std::uint32_t tail, Instant now) {
  queues_[index.value()].tail = tail;
  fetch(index, now);
}

void Transmit::fetch(QueueIndex index, Instant now) {
  auto& queue = queues_[index.value()];
  const std::uint32_t entries = queue.config.entries;
  if (entries == 0 || queue.reading || queue.stopped || queue.packets.size() + batch > entries) return;
  const std::uint32_t slot = queue.head & (entries - 1);
  const auto count = std::min<std::uint32_t>({(queue.tail - queue.head) & (entries - 1), batch, entries - slot});
  if (count == 0) return;
  queue.reading = true;
  issuer_.read(descriptor_channel, {Continuation::Part::tx_ring, index, queue.life, count},
               (queue.config.ring + Bytes{static_cast<std::int64_t>(slot * descriptor)}).value(), count * descriptor,
               pcie::Purpose::descriptor, now);
}

void Transmit::descriptors_read(const Continuation& then, bool success, std::span<const std::uint8_t> data,
                                Instant now) {
  auto& queue = queues_[then.queue.value()];
  queue.reading = false;
  queue.stopped = !success;
  if (!success) return;
  counters_.descriptors += then.value;
  counters_.descriptor_bytes += Bytes{static_cast<std::int64_t>(then.value * descriptor)};
  for (std::uint32_t i = 0; i < then.value; ++i) {
    Descriptor16 one;
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(i * descriptor), descriptor, one.begin());
    ++queue.head;
    if (auto result = queue.assembler.add(one)) start(queue, std::move(*result), now);
  }
  post_known(queue);
  fetch(then.queue, now);
}

/// Takes a packet in and looks at its headers.
void Transmit::start(Queue& queue, TxAssembler::Result&& result, Instant now) {
  const auto number = queue.first + static_cast<std::uint32_t>(queue.packets.size());
  auto& packet = queue.packets.emplace_back();
  packet.head = queue.head & (queue.config.entries - 1u);
  packet.description = std::move(result.packet);
  const bool too_long = packet.description.mss == 0 && size_of(packet.description.size) > max_frame_;
  const std::size_t size = size_of(packet.description.size);
  packet.bad = result.bad || too_long || size < size_of(net::ethernet_header);
  if (packet.bad) return;
  gather({Continuation::Part::tx_look, queue.config.queue, queue.life, number}, packet, packet.look, 0,
         std::min<std::size_t>(size, net::HeaderBytes::capacity), pcie::Purpose::header, now);
}

void Transmit::looked(const Continuation& then, bool success, std::span<const std::uint8_t> data) {
  auto* packet = find(then.queue, then.value);
  if (packet == nullptr) return;
  auto& look = packet->look;
  look.failed = look.failed || !success;
  auto& header = memory_.queue(then.queue).tx_headers.at(then.value);
  if (success) std::ranges::copy(data, header.data.begin() + static_cast<std::ptrdiff_t>(then.offset));
  if (--look.left > 0) return;
  packet->bad = look.failed;
  post_known(queues_[then.queue.value()]);
}

/// Tells the datapath of packets in order, as far as they have been looked at.
void Transmit::post_known(Queue& queue) {
  for (auto* packet = find(queue.config.queue, queue.posted); packet != nullptr && packet->look.left == 0;
       packet = find(queue.config.queue, queue.posted)) {
    describe(queue, queue.posted, *packet);
    ++queue.posted;
  }
}

void Transmit::describe(Queue& queue, std::uint32_t number, Packet& packet) {
  auto& rings = memory_.queue(queue.config.queue);
  TxDescriptor d;  // without a header it makes no sense, and the datapath refuses it
  d.tag = packet.description.tag;
  d.handle = static_cast<std::uint64_t>(queue.config.queue.value()) << 32 | number;
  auto& header = rings.tx_headers.at(number);
  if (!packet.bad) {
    const std::size_t look = std::min<std::size_t>(size_of(packet.description.size), net::HeaderBytes::capacity);
    packet.parsed = net::parse(std::span{header.data}.first(look), packet.description.size);
    packet.header = header_of(packet.description, packet.parsed);
  }
  if (packet.header > 0) {
    header.size = packet.header;
    packet.size = size_of(packet.description.size);
    d.header.address = place_of(packet.description, 0);
    d.payload.address = place_of(packet.description, packet.header);
    d.header_length = packet.header;
    d.payload_length = static_cast<std::uint32_t>(packet.size - packet.header);
    d.mss = packet.description.mss;
  }
  rings.tx.at(number) = d;
}

/// A read for each piece of a part of a packet.
void Transmit::gather(Continuation then, Packet& packet, Gathering& gathering, std::size_t from, std::size_t size,
                      pcie::Purpose purpose, Instant ready) {
  const bool look = then.part == Continuation::Part::tx_look;
  const std::size_t end = from + size;
  const auto each = [&](auto&& act) {
    std::size_t begin = 0;
    for (const auto& piece : packet.description.pieces) {
      const std::size_t behind = begin + size_of(piece.size), first = std::max(begin, from),
                        last = std::min(behind, end);
      if (first < last) act(piece.address.value() + (first - begin), first, last - first);
      begin = behind;
    }
  };
  gathering.failed = false;
  each([&](std::uint64_t, std::size_t, std::size_t) { ++gathering.left; });
  each([&](std::uint64_t address, std::size_t at, std::size_t bytes) {
    then.offset = at;
    issuer_.read(data_read_channel, then, address, bytes, purpose, ready, !look);
  });
}

Transmit::Packet* Transmit::find(QueueIndex index, std::uint32_t number) {
  auto& queue = queues_[index.value()];
  const std::uint32_t place = number - queue.first;
  return place < queue.packets.size() ? &queue.packets[place] : nullptr;
}

void Transmit::read(const Cookie& cookie, const fabric::Transaction& t) {
  using Part = Continuation::Part;
  auto* packet = find(cookie.queue, cookie.value);
  if (packet == nullptr) return;
  const bool header = t.purpose != pcie::Purpose::payload;
  const std::size_t payload = packet->size - packet->header;
  if (packet->data.empty()) {  // only now: the datapath reads few packets at a time
    packet->data = pool_.take(packet->size);
    std::copy_n(memory_.queue(cookie.queue).tx_headers.at(cookie.value).data.begin(), packet->header,
                packet->data.begin());
  }
  auto purpose = t.purpose;
  if (header && (packet->parsed.tcp_flags & net::tcp_syn) != 0) before_.opened(packet->parsed);
  if (!header && before_.again(packet->parsed, static_cast<std::int64_t>(payload)))
    purpose = pcie::Purpose::retransmission;
  const Continuation then{header ? Part::tx_header : Part::tx_payload, cookie.queue, queues_[cookie.queue.value()].life,
                          cookie.value};
  auto& gathering = header ? packet->header_read : packet->payload_read;
  gathering.asked = t;
  gather(then, *packet, gathering, header ? 0 : packet->header, header ? packet->header : payload, purpose, t.ready);
}

std::optional<Transmit::Read> Transmit::piece_read(const Continuation& then, bool success,
                                                   std::span<const std::uint8_t> data) {
  auto* packet = find(then.queue, then.value);
  if (packet == nullptr) return std::nullopt;
  const bool payload = then.part == Continuation::Part::tx_payload;
  auto& gathering = payload ? packet->payload_read : packet->header_read;
  gathering.failed = gathering.failed || !success;
  // Of a header the look's bytes stand.
  if (success && payload) std::ranges::copy(data, packet->bytes().begin() + static_cast<std::ptrdiff_t>(then.offset));
  if (--gathering.left > 0) return std::nullopt;
  return Read{gathering.asked, !gathering.failed};
}

void Transmit::send(const device::Frame& frame, Instant when) {
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
  if (bytes.size() >= size_of(net::min_frame)) return host_.transmit(bytes, when);
  std::array<std::uint8_t, 60> padded{};
  static_assert(padded.size() == net::min_frame.count());
  std::ranges::copy(bytes, padded.begin());
  host_.transmit(padded, when);
}

void Transmit::write_completions(const Cookie& cookie, const fabric::Transaction& t) {
  auto& queue = queues_[cookie.queue.value()];
  const Continuation datapath{Continuation::Part::datapath, cookie.queue, queue.life, 0, 0, t};
  for (std::uint32_t i = 0; i < cookie.count && !queue.packets.empty(); ++i) {
    const auto& packet = queue.packets.front();
    const bool last = i + 1 == cookie.count, twice = packet.description.report_event;
    complete(queue, last && !twice ? datapath : Continuation{}, TxEvent::packet, packet.description.tag, t);
    // The driver takes ring space back only on these.
    if (twice)
      complete(queue, last ? datapath : Continuation{}, TxEvent::descriptor, static_cast<std::uint16_t>(packet.head),
               t);
    pool_.give_back(std::move(queue.packets.front().data));
    queue.packets.pop_front();
    ++queue.first;
  }
  fetch(cookie.queue, t.ready);  // there is room again
}

void Transmit::complete(Queue& queue, const Continuation& then, TxEvent event, std::uint16_t value,
                        const fabric::Transaction& t) {
  const std::uint32_t entries = queue.config.completion_entries, slot = queue.completions & (entries - 1);
  const auto raw = encode_tx_completion(queue.config.queue, event, value, (queue.completions & entries) == 0);
  const auto at = queue.config.completion_ring + Bytes{static_cast<std::int64_t>(slot * raw.size())};
  ++queue.completions;
  ++counters_.completions;
  counters_.completion_bytes += Bytes{static_cast<std::int64_t>(raw.size())};
  issuer_.write(write_channel, then, at.value(), {.bytes = raw, .flag_at = 0}, t.purpose, t.ready);
}

}  // namespace peerpath::nic::gve
