#include "machine/mover.hpp"

#include <algorithm>
#include <utility>

#include "core/pcie/split.hpp"

namespace peerpath::machine {

std::uint64_t Mover::add(Operation operation) {
  operations_.emplace(++numbers_, std::make_shared<Operation>(std::move(operation)));
  return numbers_;
}

std::shared_ptr<Operation> Mover::find(std::uint64_t number) const {
  const auto found = operations_.find(number);
  return found == operations_.end() ? nullptr : found->second;
}

void Mover::see(const fabric::TlpRecord& tlp, const fabric::Transaction& asked) {
  const auto& link = topology_->links[tlp.link.value()];
  if ((tlp.direction == 0 ? link.b : link.a) != asked.target || tlp.tlp_class == pcie::TlpClass::completion) return;
  auto operation = find(asked.cookie);
  if (!operation || operation->region == nullptr || operation->completer != nullptr ||
      asked.answer != pcie::Status::success)
    return;
  const auto& requester = topology_->nodes[tlp.requester.value()].endpoint;
  const pcie::SplitRules rules{.max_payload = requester.max_payload, .max_read_request = requester.max_read_request};
  const Bytes left = asked.bytes - Bytes{static_cast<std::int64_t>(tlp.address - asked.address)};
  const auto size = (*pcie::split_request(rules, asked.op, tlp.address, left).begin()).first.bytes;
  Move move{.when = tlp.end + link.direction[static_cast<std::size_t>(tlp.direction)].propagation,
            .operation = std::move(operation),
            .address = tlp.address,
            .size = static_cast<std::size_t>(size.count()),
            .write = asked.op == pcie::Operation::memory_write};
  const auto later = std::ranges::upper_bound(moves_, move.when, {}, &Move::when);
  moves_.insert(later, std::move(move));
}

void Mover::make(const Move& move) {
  auto& operation = *move.operation;
  const auto begin = move.address - operation.address, offset = operation.offset + begin;
  const auto bytes = std::span{operation.bytes}.subspan(begin, move.size);
  const bool done = move.write ? operation.region->write(offset, bytes) : operation.region->read(offset, bytes);
  operation.failed = operation.failed || !done;
}

void Mover::run(Instant now) {
  while (!moves_.empty() && moves_.front().when <= now) {
    const auto move = std::move(moves_.front());
    moves_.pop_front();
    make(move);
  }
  for (; !ending_.empty() && ending_.begin()->first < now; ending_.erase(ending_.begin()))
    operations_.erase(ending_.begin()->second);
}

}  // namespace peerpath::machine
