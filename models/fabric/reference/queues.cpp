#include "fabric/reference/queues.hpp"

namespace peerpath::fabric::reference {

using pcie::TlpClass;

void Queues::enter(NodeId node, std::size_t ingress_number, Tlp* tlp) {
  Station& s = state_.station(node);
  const Transmitter& out = state_.transmitter(tlp->egress);
  const std::size_t place =
      state_.first_place(out, out.channel(*tlp->job)) + ingress_number * pcie::tlp_classes + index_of(tlp->tlp_class);
  Ingress& ingress = s.ingresses[place / pcie::tlp_classes];
  const Transaction& transaction = tlp->job->transaction;
  const NodeId sender = tlp->tlp_class == TlpClass::completion ? transaction.target : tlp->job->requester;
  if (tlp->tlp_class == TlpClass::posted) {
    tlp->mark = 0;
    ingress.last_posted[sender.value()] = ++ingress.posted_entered;
  } else if (tlp->tlp_class == TlpClass::completion &&
             (transaction.relaxed_ordering || state_.flaw == Flaw::ordering)) {
    tlp->mark = 0;
  } else {
    tlp->mark = transaction.id_based_ordering ? ingress.last_posted[sender.value()] : ingress.posted_entered;
  }
  Fifo& fifo = s.fifos[place];
  tlp->entered = ++state_.entered;
  fifo.tlps.push_back(tlp);
  if (fifo.tlps.size() == 1) consider(node, place);
}

/// Makes the head of a FIFO eligible if it is its time, or sees to it that this is done in time.
void Queues::consider(NodeId node, std::size_t place) {
  Station& s = state_.station(node);
  Fifo& fifo = s.fifos[place];
  if (fifo.head != Fifo::Head::waiting) return;
  const Tlp& head = *fifo.tlps.front();
  if (s.ingresses[place / pcie::tlp_classes].posted_left < head.mark) return;  // again when the next P leaves
  if (state_.flaw == Flaw::shared_queue && !oldest_of_ingress(node, place)) return;
  if (head.earliest > state_.now) {
    fifo.head = Fifo::Head::scheduled;
    return state_.schedule(head.earliest, EventKind::eligible,
                           static_cast<std::uint32_t>(node.value() * slots_per_node + place));
  }
  fifo.head = Fifo::Head::eligible;
  fifo.eligible_since = state_.now;
  Transmitter& t = state_.transmitter(head.egress);
  t.wanting[t.channel(*head.job)] |= std::uint64_t{1} << place % t.slots;
  state_.poke(head.egress);
}

/// Flaw::shared_queue: whether no TLP of its class and ingress entered before the first of this FIFO.
bool Queues::oldest_of_ingress(NodeId node, std::size_t place) const {
  const Station& s = state_.station(node);
  const std::size_t slots = state_.slots_of(node);
  for (std::size_t other = place % slots; other < s.fifos.size(); other += slots)
    if (!s.fifos[other].tlps.empty() && s.fifos[other].tlps.front()->entered < s.fifos[place].tlps.front()->entered)
      return false;
  return true;
}

/// The TLP that `t` was sending has left its node.
void Queues::left(Transmitter& t) {
  const auto sent = t.sending;
  Station& s = state_.station(t.from);
  Fifo& fifo = s.fifos[sent.slot];
  fifo.tlps.pop_front();
  fifo.head = Fifo::Head::waiting;
  if (sent.came_by != nowhere)
    state_.schedule(state_.now + state_.transmitter(sent.came_by).direction->update_fc, EventKind::credit, sent.came_by,
                    sent.pool, sent.units);
  if (!fifo.tlps.empty()) consider(t.from, sent.slot);
  if (state_.flaw == Flaw::shared_queue)
    for (std::size_t place = sent.slot % t.slots; place < s.fifos.size(); place += t.slots)
      if (!s.fifos[place].tlps.empty()) consider(t.from, place);
  if (sent.tlp_class != TlpClass::posted) return;
  ++s.ingresses[sent.slot / pcie::tlp_classes].posted_left;
  for (const std::size_t c : {1u, 2u})
    if (!s.fifos[sent.slot + c].tlps.empty()) consider(t.from, sent.slot + c);
}

}  // namespace peerpath::fabric::reference
