#include "fabric/engine/waiting.hpp"

namespace peerpath::fabric::engine {

namespace {

WaitFor reason(const State& state, const NodeState& node, const Fifo& fifo) {
  const TlpRun& head = fifo.runs.front();
  const Transmitter& x = *fifo.out;
  const std::size_t pool = x.channel(state.records[head.record].asked) * pcie::tlp_classes + fifo.tlp_class;
  if (head.mark > fifo.lane->posted_out) return WaitFor::ordering;
  if (!x.up) return WaitFor::link;
  if (fifo.takes_tags && node.endpoint->tag_at() == unknown_time) return WaitFor::tag;
  if (x.credit[pool].covered_at(head.units).when == unknown_time) return WaitFor::credits;
  return WaitFor::time;
}

Waiting waiting_in(const State& state, const NodeState& node, const Fifo& fifo) {
  const TlpRun& head = fifo.runs.front();
  const Transmitter& x = *fifo.out;
  const Record& record = state.records[head.record];
  return {node.id,
          fifo.slot / 3,
          static_cast<pcie::TlpClass>(fifo.tlp_class),
          reason(state, node, fifo),
          LinkId{static_cast<std::uint16_t>(x.index / 2)},
          x.index % 2,
          record.requester,
          record.asked.target,
          record.asked.cookie,
          head.address,
          x.channel(record.asked)};
}

}  // namespace

std::vector<Waiting> waiting(const State& state) {
  std::vector<Waiting> all;
  for (const NodeState& node : state.nodes) {
    const std::size_t slots = static_cast<std::size_t>(node.ingresses) * pcie::tlp_classes;
    for (std::size_t slot = 0; slot < slots; ++slot)
      for (std::size_t place = slot; place < node.fifos.size(); place += slots)
        if (!node.fifos[place].runs.empty()) all.push_back(waiting_in(state, node, node.fifos[place]));
    if (node.endpoint == nullptr || node.endpoint->queue.held.empty()) continue;
    const auto& [tlp_class, run] = node.endpoint->queue.held.front();
    const Record& record = state.records[run.record];
    const int by = node.endpoint->out->index ^ 1;
    all.push_back({node.id, Waiting::received, static_cast<pcie::TlpClass>(tlp_class), WaitFor::room,
                   LinkId{static_cast<std::uint16_t>(by / 2)}, by % 2, record.requester, record.asked.target,
                   record.asked.cookie, run.address});
  }
  return all;
}

}  // namespace peerpath::fabric::engine
