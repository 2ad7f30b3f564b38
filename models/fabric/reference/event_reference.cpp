#include "fabric/reference/event_reference.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/fail.hpp"

namespace peerpath::fabric {

using pcie::TlpClass;
using reference::Fifo;
using reference::Job;
using reference::slots_per_node;
using reference::Station;
using reference::Transmitter;

void EventReference::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::eligible: {
      const NodeId node{static_cast<std::uint16_t>(event.place / slots_per_node)};
      state_.station(node).fifos[event.place % slots_per_node].head = Fifo::Head::waiting;
      return queues_.consider(node, event.place % slots_per_node);
    }
    case EventKind::line_free:
      return state_.poke(event.place);
    case EventKind::dllp_due:
      ++state_.transmitter(event.place).dllps_due;
      return state_.poke(event.place);
    case EventKind::left:
      if (Job* told = std::exchange(state_.transmitter(event.place).sending.told, nullptr)) endpoints_.sent(told);
      queues_.left(state_.transmitter(event.place));
      return state_.poke(event.place);
    case EventKind::taken_in:
      return endpoints_.take_in(NodeId{static_cast<std::uint16_t>(event.place)}, event.pool);
    case EventKind::credit:
      return senders_.return_credits(event.place, event.pool, event.units);
    case EventKind::timeout:
      return endpoints_.time_out(NodeId{static_cast<std::uint16_t>(event.place)});
  }
}

Instant EventReference::advance(Instant limit) {
  require(limit >= state_.now, "time does not run backwards");
  require(limit < never, "a run ends before the largest representable time");
  while (!state_.bounds.empty() && state_.bounds.top() <= state_.now) state_.bounds.pop();
  state_.horizon =
      state_.bounds.empty() ? limit : std::min(limit, state_.bounds.top());  // `deliver` may bring it nearer
  for (;;) {
    const Instant next = state_.events.empty() ? never : state_.events.top().when;
    // Events at the horizon itself still belong here; only the starts at it wait for the reactions.
    if (next > state_.now && !state_.to_arbitrate.empty() && state_.now < state_.horizon) {
      senders_.arbitrate_all();
    } else if (next > state_.horizon || state_.events.empty()) {
      return state_.now = state_.horizon;
    } else {
      state_.now = next;
      const Event event = state_.events.top();
      state_.events.pop();
      handle(event);
    }
  }
}

Instant EventReference::quiet_until() const {
  if (!state_.to_arbitrate.empty()) return state_.now;
  return state_.events.empty() ? never : std::max(state_.now, state_.events.top().when);
}

void EventReference::set_link(LinkId link, bool up) {
  for (const std::uint32_t index : {2u * link.value(), 2u * link.value() + 1u}) {
    state_.transmitter(index).up = up;
    state_.poke(index);
  }
}

void EventReference::set_route(const Route& route) {
  Station& s = state_.station(route.router);
  const auto in = static_cast<std::size_t>(state_.wiring.port_of(route.router, route.ingress));
  const auto out = static_cast<std::size_t>(state_.wiring.port_of(route.router, route.egress));
  s.routes[(in * state_.stations.size() + route.target.value()) * pcie::route_kinds +
           static_cast<std::size_t>(route.kind)] = s.outgoing[out];
}

void EventReference::set_timing(LinkId link, int direction, const LineTiming& timing) {
  Transmitter& t = state_.transmitter(2u * link.value() + static_cast<std::uint32_t>(direction));
  t.direction->framing = timing.framing;
  t.direction->ack_interval = timing.ack_interval;
  t.direction->fc_interval = timing.fc_interval;
  t.next_ack = t.next_fc = {};
  t.set_rate(timing.rate);
}

void EventReference::set_rate(LinkId link, int direction, BitRate rate) {
  state_.transmitter(2u * link.value() + static_cast<std::uint32_t>(direction)).set_rate(rate);
}

void EventReference::leak_credits(LinkId link, int direction, TlpClass tlp_class, Credits lost) {
  const std::uint32_t index = 2u * link.value() + static_cast<std::uint32_t>(direction);
  state_.transmitter(index).header[reference::index_of(tlp_class)] -= lost.header;
  state_.transmitter(index).data[reference::index_of(tlp_class)] -= lost.data;
  state_.poke(index);
}

void EventReference::strike(LinkId link, int direction) {
  state_.transmitter(2u * link.value() + static_cast<std::uint32_t>(direction)).errors.strike();
}

DirectionCounters EventReference::counters(LinkId link, int direction) const {
  const Transmitter& t = state_.transmitters[2u * link.value() + static_cast<std::size_t>(direction)];
  DirectionCounters counters = t.counters;
  counters.credit_stall += t.stalling + (t.stalled ? state_.now - t.stalled_since : Duration{0});
  counters.ahead = std::max(t.free - state_.horizon, Duration{0});
  counters.tallies = t.tallies;
  counters.accounts = t.accounts;
  return counters;
}

std::vector<Waiting> EventReference::waiting() const { return reference::waiting(state_); }

}  // namespace peerpath::fabric
