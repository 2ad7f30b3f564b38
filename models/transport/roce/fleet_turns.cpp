// Which queue pair of a NIC sends next. Each stands among the kind that its next packet waits for: an open priority, or
// an open priority and the NIC's rate of messages; or in a heap, for its own time; or for something that has to come
// first.
#include <algorithm>

#include "transport/roce/fleet.hpp"

namespace peerpath::roce {
namespace {

constexpr int begins_bits = 8;             ///< kinds from here on: by priority, a message begins
constexpr Turns::Kinds leaving = 1 << 16;  ///< nothing to send, and nothing that it will have by itself
constexpr auto later = std::greater<>{};

}  // namespace

/// Something may have changed that says when it sends.
void Fleet::sort(QueuePair& qp, Instant now) {
  if (!qp.sends || qp.urgent) return;
  auto& nic = nics_[qp.host];
  ++nic.looked_at;
  auto kind = qp.priority;
  auto then = never;
  if (qp.requester.can_send(now)) {
    then = qp.paced;
    if (qp.requester.begins_message()) {
      then = std::max(then, qp.messages.next());
      kind = static_cast<std::uint8_t>(kind + begins_bits);
    }
  } else if (qp.requester.has_sent_all() && !qp.waiting.empty()) {
    then = qp.waiting.front().ready;
  }
  const auto kinds = then == never ? leaving : then <= now ? Turns::Kinds{1} << kind : 0;
  if (kinds != qp.kinds) nic.sending.change(qp.turn, kinds);
  qp.kinds = kinds;
  if (kinds != 0) {
    qp.due = never;
    return;
  }
  if (qp.due == then && qp.due_kind == kind) return;
  qp.due = then;
  qp.due_kind = kind;
  auto due = std::ranges::find(nic.due, kind, &Due::kind);
  if (due == nic.due.end()) due = nic.due.insert(due, {.kind = kind});
  due->heap.push_back({then, qp.number});
  std::ranges::push_heap(due->heap, later);
}

/// Afterwards the first, if there is one, is as it was.
void Fleet::forget_changed(Due& due) const {
  while (!due.heap.empty()) {
    const auto& first = due.heap.front();
    const auto* qp = qps_[first.qp];
    if (qp != nullptr && qp->sends && qp->due == first.when && qp->due_kind == due.kind) return;
    std::ranges::pop_heap(due.heap, later);
    due.heap.pop_back();
  }
}

/// Those whose time has come.
void Fleet::sort_due(Nic& nic, Instant now) {
  for (std::size_t i = 0; i < nic.due.size(); ++i) {
    while (forget_changed(nic.due[i]), !nic.due[i].heap.empty() && nic.due[i].heap.front().when <= now) {
      auto& qp = *qps_[nic.due[i].heap.front().qp];
      std::ranges::pop_heap(nic.due[i].heap, later);
      nic.due[i].heap.pop_back();
      qp.due = never;
      feed(qp, now);
      sort(qp, now);
    }
  }
}

/// Whose packet goes now.
std::optional<QpIndex> Fleet::next_turn(Nic& nic, std::uint8_t open, Instant now) {
  sort_due(nic, now);
  Turns::Kinds wanted = open;
  if (nic.messages.next() <= now) wanted |= wanted << begins_bits;
  return nic.sending.take(wanted, leaving, [this](QpIndex number) {
    auto& qp = *qps_[number];
    qp.sends = false;
    if (qp.resting) put_away(qp);
  });
}

/// When the first may go, as nobody may now; `never`: something has to come first.
Instant Fleet::next_due(Nic& nic, std::uint8_t open) {
  auto earliest = nic.sending.kinds() & Turns::Kinds{open} << begins_bits ? nic.messages.next() : never;
  for (auto& due : nic.due) {
    if (!(open >> due.kind % begins_bits & 1)) continue;
    forget_changed(due);
    if (due.heap.empty()) continue;
    const auto first = due.heap.front().when;
    earliest = std::min(earliest, due.kind < begins_bits ? first : std::max(first, nic.messages.next()));
  }
  return earliest;
}

std::int64_t Fleet::looked_at() const {
  std::int64_t sum = 0;
  for (const auto& nic : nics_) sum += nic.looked_at + nic.sending.visited();
  return sum;
}

}  // namespace peerpath::roce
