// What each FIFO of the event-driven reference waits for.
#include "fabric/reference/state.hpp"

namespace peerpath::fabric::reference {
namespace {

/// Whether the credits in hand will be enough with those on their way back, and those of what an endpoint is taking in.
bool will_have_credits(const State& state, std::uint32_t index, std::size_t pool, const Tlp& tlp) {
  Transmitter t = state.transmitters[index];
  const auto give = [&](int units) {
    t.header[pool] += 1;
    t.data[pool] += units;
  };
  for (const Event& event : state.events.all())
    if (event.kind == EventKind::credit && event.place == index && event.pool == pool) give(event.units);
  for (const Tlp* taken : state.stations[t.to.value()].servers[pool].tlps)
    if (taken->came_by == index) give(taken->piece.units);
  return t.has_credits(pool, tlp.piece.units);
}

void add(std::vector<Waiting>& all, const Tlp& head, std::size_t node, int ingress, WaitFor why, const Transmitter& t,
         int channel) {
  const Transaction& asked = head.job->transaction;
  all.push_back({NodeId{static_cast<std::uint16_t>(node)}, ingress, head.tlp_class, why, t.link, t.number,
                 head.job->requester, asked.target, asked.cookie, head.piece.address, channel});
}

void add_first(std::vector<Waiting>& all, const State& state, std::size_t node, std::size_t place) {
  const Station& s = state.stations[node];
  const Ingress& ingress = s.ingresses[place / pcie::tlp_classes];
  const Fifo& fifo = s.fifos[place];
  const Tlp& head = *fifo.tlps.front();
  const Transmitter& t = state.transmitters[head.egress];
  const std::size_t slot = place % t.slots;
  WaitFor why = WaitFor::time;
  const Fifo& posted = s.fifos[place - place % pcie::tlp_classes];
  const bool leaving = !posted.tlps.empty() && posted.head == Fifo::Head::started;
  if (fifo.head == Fifo::Head::waiting && ingress.posted_left + (leaving ? 1 : 0) < head.mark)
    why = WaitFor::ordering;
  else if (fifo.head == Fifo::Head::eligible && !t.up)
    why = WaitFor::link;
  else if (fifo.head == Fifo::Head::eligible && !state.has_tag(t, slot))
    why = WaitFor::tag;
  else if (fifo.head == Fifo::Head::eligible &&
           !will_have_credits(state, head.egress, pool_of(t.channel(*head.job), head.tlp_class), head))
    why = WaitFor::credits;
  add(all, head, node, static_cast<int>(slot / pcie::tlp_classes), why, t, t.channel(*head.job));
}

}  // namespace

std::vector<Waiting> waiting(const State& state) {
  std::vector<Waiting> all;
  for (std::size_t node = 0; node < state.stations.size(); ++node) {
    const Station& s = state.stations[node];
    const std::size_t slots = state.slots_of(NodeId{static_cast<std::uint16_t>(node)});
    for (std::size_t slot = 0; slot < slots; ++slot)
      for (std::size_t place = slot; place < s.fifos.size(); place += slots)
        if (!s.fifos[place].tlps.empty()) add_first(all, state, node, place);
    if (s.held.empty()) continue;
    const Transmitter& by = state.transmitters[s.outgoing.front() ^ 1u];
    add(all, *s.held.front().tlp, node, Waiting::received, WaitFor::room, by, 0);
  }
  return all;
}

}  // namespace peerpath::fabric::reference
