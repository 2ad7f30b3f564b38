#include "network/network.hpp"

#include <algorithm>
#include <bit>

#include "peerpath/net/ethernet.hpp"

namespace peerpath::network {
namespace {

constexpr std::int64_t quantum = 4096;                          ///< bytes that one weight is worth in a round
constexpr std::size_t fetch_ahead = 6, fetch_packet_ahead = 3;  ///< events

std::int64_t on_wire(std::int64_t frame) { return net::wire_size(Bytes{frame}).count(); }
/// From the first bit of the preamble to the last of the FCS.
std::int64_t to_last_bit(std::int64_t frame) { return on_wire(frame) - net::gap.count(); }

}  // namespace

Network::Network(const Graph& graph, const SwitchConfig& config, std::uint64_t seed, Hosts& hosts)
    : graph_{graph},
      config_{config},
      hosts_{hosts},
      seed_{mix(seed)},
      routes_{graph},
      faults_{seed},
      ports_(graph.cables.size() * 2),
      node_of_(ports_.size()),
      host_of_(graph.nodes.size()),
      host_port_(graph.hosts.size()),
      buffers_(graph.nodes.size()),
      turns_(graph.nodes.size()),
      flowlets_(config.path == PathChoice::flowlet ? graph.nodes.size() : 0),
      down_(graph.cables.size()),
      own_(graph.nodes.size(), true),
      mark_limit_{static_cast<std::uint32_t>(config.ecn_max_probability * 4294967295.0)} {
  for (std::size_t p = 0; p < config.weights.size() && p < weights_.size(); ++p) weights_[p] = config.weights[p];
  std::vector<std::vector<std::int64_t>> headroom(graph.nodes.size());
  for (PortIndex p = 0; p < ports_.size(); ++p) {
    const auto& cable = graph.cables[p / 2];
    auto& port = ports_[p];
    port.rate = cable.rate;
    port.delay = cable.delay;
    constexpr std::int64_t byte_second = 8'000'000'000'000'000;
    port.fs_per_byte = byte_second % cable.rate.bps() == 0 ? byte_second / cable.rate.bps() : 0;
    port.faulty = faults_.add(p, cable);
    marking_.emplace_back(mix(seed ^ mix(p)), "marking");
    node_of_[p] = graph.node_of(p);
    port.local = static_cast<std::uint32_t>(headroom[node_of_[p]].size());
    headroom[node_of_[p]].push_back(headroom_of(config, cable.rate, cable.delay));
  }
  for (HostIndex h = 0; h < graph.hosts.size(); ++h) host_of_[graph.hosts[h]] = h;
  for (PortIndex p = 0; p < ports_.size(); ++p)
    if (graph.nodes[node_of_[p]].is_host) host_port_[host_of_[node_of_[p]]] = p;
  for (NodeIndex n = 0; n < graph.nodes.size(); ++n)
    if (!graph.nodes[n].is_host) buffers_[n].emplace(config_, headroom[n]);
}

void Network::keep(const std::vector<PartIndex>& owner, PartIndex parts, PartIndex self) {
  owner_ = owner;
  for (NodeIndex n = 0; n < own_.size(); ++n) own_[n] = owner[n] == self;
  for (PortIndex p = 0; p < ports_.size(); ++p) ports_[p].leads_out = owner[node_of_[Graph::peer(p)]] != self;
  outboxes_.resize(parts);
}

void Network::take_in(const Crossing& crossing) {
  if (crossing.pause) return events_.push_at(place_of(crossing.at, true), crossing.when, crossing.word);
  const auto index = pool_.take();
  auto& slot = pool_[index];
  slot.packet = crossing.packet;
  slot.ingress = crossing.word;
  events_.push_at(place_of(crossing.at, false), crossing.when, index);
}

/// Asks memory for the packet that a port will send soon.
[[gnu::always_inline]] inline void Network::fetch_packet(const Event& event) const {
  if (event.has_place() || (event.what & 3) != transmitter) return;
  const auto& port = ports_[static_cast<std::uint32_t>(event.what >> 2)];
  if (port.waiting != 0)
    __builtin_prefetch(&pool_[port.queues[static_cast<std::size_t>(std::bit_width(port.waiting) - 1)].first]);
}

/// Asks memory for what an event that comes soon will need.
[[gnu::always_inline]] inline void Network::fetch(const Event& event) const {
  if (!event.has_place()) return __builtin_prefetch(&ports_[static_cast<std::uint32_t>(event.what >> 2)]);
  __builtin_prefetch(&ports_[event.order >> 1]);
  __builtin_prefetch(&pool_[static_cast<PacketIndex>(event.what)]);
}

bool Network::run(Instant until, std::int64_t most) {
  for (; events_.next() <= until; --most) {
    if (most == 0) return false;
    if (const auto* later = events_.ahead(fetch_ahead)) fetch(*later);
    if (const auto* soon = events_.ahead(fetch_packet_ahead)) fetch_packet(*soon);
    const auto event = events_.pop();
    ++done_;
    if (event.has_place())
      from_cable(event);
    else
      from_node(event);
  }
  return true;
}

inline void Network::from_cable(const Event& event) {
  const auto at = static_cast<PortIndex>(event.order >> 1);
  if (event.order & 1)
    hold(at, static_cast<int>(event.what >> 1), (event.what & 1) != 0, event.when);
  else
    arrive(at, static_cast<PacketIndex>(event.what), event.when);
}

inline void Network::from_node(const Event& event) {
  const auto subject = static_cast<std::uint32_t>(event.what >> 2);
  switch (static_cast<Kind>(event.what & 3)) {
    case transmitter:
      if (event.when == ports_[subject].wake) ports_[subject].wake = never;
      return serve(subject, event.when);
    case timer:
      return hosts_.woken(subject, event.what >> 34, event.when);
    case reroute:
      routes_ = Routes{graph_, down_};
  }
}

/// The last bit of a packet has come in at a port.
void Network::arrive(PortIndex at, PacketIndex index, Instant now) {
  auto& slot = pool_[index];
  const auto node = node_of_[at];
  if (slot.ingress != ports_[at].generation) return lose(Graph::peer(at), index);
  ports_[at].arrived += slot.packet.bytes;
  if (!buffers_[node]) {
    const Packet packet = slot.packet;
    pool_.give_back(index);
    return hosts_.arrived(host_of_[node], packet, now);
  }
  const auto& packet = slot.packet;
  const auto ways = routes_.towards(node, packet.destination);
  if (ways.empty()) {
    ports_[at].counters.offered += packet.bytes;  // that it came by: there is no other
    return lose(at, index);
  }
  auto& turn = flowlets_.empty() ? turns_[node] : flowlets_[node].number_of(packet, config_.flowlet_gap, now);
  const auto egress = choose(config_.path, ways, packet, node, routes_.place(packet.destination), seed_, turn);
  auto& port = ports_[egress];
  port.counters.offered += packet.bytes;
  if (port.down) return lose(egress, index);
  const int priority = packet.priority;
  auto& buffer = *buffers_[node];
  const auto local = ports_[at].local;
  const auto admission =
      buffer.admit(local, priority, packet.bytes, port.queues[static_cast<std::size_t>(priority)].bytes);
  if (buffer.should_pause(local, priority) && !(ports_[at].holding >> priority & 1))
    send_pause(at, priority, true, now);
  if (admission != SharedBuffer::Admission::taken) return lose(egress, index);
  slot.ingress = at;
  enqueue(egress, index, now);
}

void Network::enqueue(PortIndex egress, PacketIndex index, Instant now) {
  auto& port = ports_[egress];
  auto& slot = pool_[index];
  const int priority = slot.packet.priority;
  auto& queue = port.queues[static_cast<std::size_t>(priority)];
  slot.next = no_packet;
  slot.eligible = now + config_.latency;
  if (queue.first == no_packet)
    queue.first = index;
  else
    pool_[queue.last].next = index;
  queue.last = index;
  queue.bytes += slot.packet.bytes;
  port.counters.peak = std::max(port.counters.peak, queue.bytes);
  const auto bit = static_cast<std::uint8_t>(1 << priority);
  if (!(port.waiting & bit) && (port.held & bit)) port.held_since[static_cast<std::size_t>(priority)] = now;
  if (!(port.waiting & bit)) {
    port.waiting |= bit;
    note_stop(egress, now);
  }
  serve(egress, now);
}

/// Starts the next packet if the transmitter is free, and sees to it that it is asked again while there is more.
void Network::serve(PortIndex index, Instant now) {
  auto& port = ports_[index];
  if (port.down) return;
  if (!buffers_[node_of_[index]]) return serve_host(index, now);
  if (port.free > now) {
    if (port.waiting & ~port.held) wake(index, port.free);
    return;
  }
  const auto open = open_queues(index, now);
  const int priority = choose_queue(port, open);
  if (priority < 0) return;
  const auto packet = port.queues[static_cast<std::size_t>(priority)].first;
  leave(index, packet, now);
  send(index, packet, now);
  if (port.waiting & ~port.held) wake(index, port.free);
}

void Network::serve_host(PortIndex index, Instant now) {
  if (ports_[index].free > now) return wake(index, ports_[index].free);
  Packet made;
  if (!hosts_.next(host_of_[node_of_[index]], static_cast<std::uint8_t>(~ports_[index].held), now, made)) return;
  const auto packet = pool_.take();
  pool_[packet].packet = made;
  ports_[index].counters.offered += made.bytes;
  send(index, packet, now);
  wake(index, ports_[index].free);
}

void Network::wake(PortIndex index, Instant when) {
  auto& port = ports_[index];
  if (when >= port.wake) return;
  port.wake = when;
  events_.push(when, local(transmitter, index, 0));
}

/// Queues that are not paused and whose first packet may leave; sees to it that the port is asked again for the others.
std::uint8_t Network::open_queues(PortIndex index, Instant now) {
  const auto& port = ports_[index];
  auto open = static_cast<std::uint8_t>(port.waiting & ~port.held);
  Instant earliest = never;
  for (auto rest = open; rest != 0; rest &= static_cast<std::uint8_t>(rest - 1)) {
    const auto eligible = pool_[port.queues[static_cast<std::size_t>(std::countr_zero(rest))].first].eligible;
    if (eligible <= now) continue;
    open &= static_cast<std::uint8_t>(~(rest & -rest));
    earliest = std::min(earliest, eligible);
  }
  if (open == 0 && earliest != never) wake(index, earliest);
  return open;
}

/// Strict priorities first, highest number first; then those with weights, by deficit round robin (Shreedhar and
/// Varghese 1996).
int Network::choose_queue(Port& port, std::uint8_t open) {
  if (open == 0) return -1;
  bool weighted = false;
  for (int p = priorities - 1; p >= 0; --p) {
    if (!(open >> p & 1)) continue;
    if (weights_[static_cast<std::size_t>(p)] == 0) return p;
    weighted = true;
  }
  if (!weighted) return -1;
  while (true) {
    const int p = port.turn;
    auto& queue = port.queues[static_cast<std::size_t>(p)];
    const auto weight = weights_[static_cast<std::size_t>(p)];
    if (weight > 0 && (open >> p & 1)) {
      const auto size = pool_[queue.first].packet.bytes;
      if (queue.deficit >= size) {
        queue.deficit -= size;
        return p;
      }
    } else if (!(port.waiting >> p & 1)) {
      queue.deficit = 0;
    }
    port.turn = static_cast<std::uint8_t>((p + 1) % priorities);
    auto& next = port.queues[port.turn];
    if (open >> port.turn & 1) next.deficit += weights_[port.turn] * quantum;
  }
}

/// A packet leaves its queue and the buffer as its transmission starts.
void Network::leave(PortIndex egress, PacketIndex index, Instant now) {
  auto& port = ports_[egress];
  auto& slot = pool_[index];
  const int priority = slot.packet.priority;
  auto& queue = port.queues[static_cast<std::size_t>(priority)];
  queue.first = slot.next;
  queue.bytes -= slot.packet.bytes;
  if (queue.first == no_packet) port.waiting &= static_cast<std::uint8_t>(~(1 << priority));
  auto& buffer = *buffers_[node_of_[egress]];
  auto& ingress = ports_[slot.ingress];
  buffer.release(ingress.local, priority, slot.packet.bytes);
  if ((ingress.holding >> priority & 1) && buffer.should_resume(ingress.local, priority))
    send_pause(slot.ingress, priority, false, now);
  if (slot.packet.ecn_capable && !slot.packet.congestion_experienced && marks(egress, queue.bytes)) {
    slot.packet.congestion_experienced = true;
    ++port.counters.marked;
  }
}

/// RED on the instantaneous queue: never up to Kmin, always from Kmax on, in between with a probability that grows
/// linearly (Zhu et al. 2015).
bool Network::marks(PortIndex index, std::int64_t queued) {
  const auto& port = ports_[index];
  const auto scale = [&](Bytes at) {
    return static_cast<std::int64_t>(static_cast<WideInt>(at.count()) * port.rate.bps() / config_.ecn_rate.bps());
  };
  const auto least = scale(config_.ecn_min);
  if (queued <= least) return false;
  const auto most = scale(config_.ecn_max);
  if (queued > most) return true;
  const auto limit = static_cast<WideInt>(mark_limit_) * (queued - least) / (most - least);
  return marking_[index].next() >> 32 < static_cast<std::uint64_t>(limit);
}

void Network::send(PortIndex index, PacketIndex packet, Instant now) {
  auto& port = ports_[index];
  auto& slot = pool_[packet];
  const auto bytes = slot.packet.bytes;
  const auto wire = on_wire(bytes);
  ++port.counters.packets;
  port.counters.bytes += bytes;
  const auto whole = port.time_of(wire);
  port.counters.busy += whole;
  port.free = now + whole;
  ++hops_;
  if (port.faulty && faults_.strikes(index, port.counters.packets)) return lose(index, packet);
  const auto far = Graph::peer(index);
  const auto in = now + port.time_of(wire - net::gap.count()) + port.delay;
  if (port.leads_out) {
    outboxes_[owner_[node_of_[far]]].push_back({in, far, ports_[far].generation, false, slot.packet});
    return pool_.give_back(packet);
  }
  slot.ingress = ports_[far].generation;
  events_.push_at(place_of(far, false), in, packet);
}

/// A pause frame goes before all that waits; only a frame that has begun delays it.
void Network::send_pause(PortIndex index, int priority, bool on, Instant now) {
  auto& port = ports_[index];
  const auto bit = static_cast<std::uint8_t>(1 << priority);
  if (((port.holding & bit) != 0) == on || port.down) return;
  port.holding ^= bit;
  ++(on ? port.counters.pauses : port.counters.resumes);
  const Instant start = std::max(now, port.free);
  const auto whole = port.time_of(on_wire(pause_frame_size.count()));
  port.counters.busy += whole;
  port.free = start + whole;
  const auto in = start + port.time_of(to_last_bit(pause_frame_size.count())) + port.delay + config_.pfc_reaction;
  const auto far = Graph::peer(index);
  const auto word = static_cast<std::uint32_t>(priority) << 1 | (on ? 1u : 0u);
  if (port.leads_out) return outboxes_[owner_[node_of_[far]]].push_back({in, far, word, true, {}});
  events_.push_at(place_of(far, true), in, word);
}

void Network::hold(PortIndex index, int priority, bool on, Instant now) {
  auto& port = ports_[index];
  if (port.down) return;
  const auto bit = static_cast<std::uint8_t>(1 << priority);
  const auto p = static_cast<std::size_t>(priority);
  if (on) {
    if (!(port.held & bit)) port.held_since[p] = now;
    port.held |= bit;
    return note_stop(index, now);
  }
  const bool counts = (port.waiting & bit) || !buffers_[node_of_[index]];
  if ((port.held & bit) && counts) port.counters.paused += now - port.held_since[p];
  port.held &= static_cast<std::uint8_t>(~bit);
  note_stop(index, now);
  serve(index, now);
}

/// Time goes on, or stands, in which a port has something to send that the other end holds.
void Network::note_stop(PortIndex index, Instant now) {
  auto& port = ports_[index];
  const bool stops = (buffers_[node_of_[index]] ? port.held & port.waiting : port.held) != 0;
  if (stops == port.stops) return;
  port.stops = stops;
  if (stops)
    port.stopped_since = now;
  else
    port.counters.stopped += now - port.stopped_since;
}

Duration Network::stopped(PortIndex index, Instant now) const {
  const auto& port = ports_[index];
  return port.counters.stopped + (port.stops ? now - port.stopped_since : Duration{});
}

Network::Backlog Network::backlog() const {
  Backlog backlog{std::vector<std::int64_t>(ports_.size()), pool_.in_use()};
  for (PortIndex p = 0; p < ports_.size(); ++p)
    for (const auto& queue : ports_[p].queues) {
      backlog.bytes[p] += queue.bytes;
      for (auto at = queue.first; at != no_packet; at = pool_[at].next) --backlog.lost_track;
    }
  events_.for_each([&](const Event& event) {
    if (!event.has_place() || (event.order & 1) != 0) return;
    backlog.bytes[Graph::peer(static_cast<PortIndex>(event.order >> 1))] +=
        pool_[static_cast<PacketIndex>(event.what)].packet.bytes;
    --backlog.lost_track;
  });
  return backlog;
}

Duration Network::paused(PortIndex index, Instant now) const {
  const auto& port = ports_[index];
  Duration sum = port.counters.paused;
  for (std::size_t p = 0; p < priorities; ++p)
    if ((port.held >> p & 1) && ((port.waiting >> p & 1) || !buffers_[node_of_[index]]))
      sum += now - port.held_since[p];
  return sum;
}

void Network::lose(PortIndex at, PacketIndex packet) {
  ++ports_[at].counters.dropped;
  ports_[at].counters.dropped_bytes += pool_[packet].packet.bytes;
  pool_.give_back(packet);
}

void Network::set_cable(CableIndex cable, bool up, Instant now) {
  if (down_[cable] != up) return;
  down_[cable] = !up;
  for (const PortIndex p : {2 * cable, 2 * cable + 1}) {
    auto& port = ports_[p];
    ++port.generation;
    port.held = port.holding = 0;
    for (int priority = 0; priority < priorities && !up; ++priority) {
      while (port.queues[static_cast<std::size_t>(priority)].first != no_packet) {
        const auto packet = port.queues[static_cast<std::size_t>(priority)].first;
        leave(p, packet, now);
        lose(p, packet);
      }
    }
    port.down = !up;
    note_stop(p, now);
  }
  events_.push(now + config_.convergence, local(reroute, cable, 0));
  for (const PortIndex p : {2 * cable, 2 * cable + 1})
    if (up && own_[node_of_[p]]) serve(p, now);
}

}  // namespace peerpath::network
