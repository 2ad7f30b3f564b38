#include "platform/network/accounts.hpp"

namespace peerpath::network_run {
namespace {

std::string bytes(std::int64_t count) { return std::to_string(count) + " B"; }

}  // namespace

void gather(Parts& parts, EntryTotals& totals) {
  parts.sum(totals.offered);
  parts.sum(totals.arrived);
}

std::vector<EntryAccount> accounts(const EntryTotals& before, const EntryTotals& after) {
  std::vector<EntryAccount> out;
  for (std::size_t i = 0; i < after.offered.size(); ++i)
    out.push_back({.offered = after.offered[i] - before.offered[i],
                   .arrived = after.arrived[i] - before.arrived[i],
                   .missing_before = before.offered[i] - before.arrived[i],
                   .missing_after = after.offered[i] - after.arrived[i]});
  return out;
}

std::vector<std::string> violations(const Snapshot& before, const Snapshot& after, const network::Graph& graph,
                                    const Outcome& out) {
  std::vector<std::string> broken;
  std::vector<std::int64_t> in(graph.nodes.size()), to_leave(graph.nodes.size());
  for (network::PortIndex p = 0; p < after.ports.size(); ++p) {
    const auto account = account_of(before, after, p);
    const auto there = account.offered + account.backlog_before;
    const auto gone = account.arrived + account.dropped + account.backlog_after;
    if (there != gone)
      broken.push_back("cable " + graph.name_of(p) + ": " + bytes(there) + " came or waited, " + bytes(gone) +
                       " arrived, were dropped or wait");
    to_leave[graph.node_of(p)] += account.offered;
    in[graph.node_of(network::Graph::peer(p))] += account.arrived;
  }
  for (network::NodeIndex n = 0; n < graph.nodes.size(); ++n)
    if (!graph.nodes[n].is_host && in[n] != to_leave[n])
      broken.push_back(graph.nodes[n].name + ": " + bytes(in[n]) + " in, " + bytes(to_leave[n]) + " to leave");
  if (after.lost_track != 0)
    broken.push_back(std::to_string(after.lost_track) + " packets are neither in a queue nor on a cable");
  for (std::size_t i = 0; i < out.entries.size(); ++i)
    if (const auto& e = out.entries[i]; e.missing_before < 0 || e.missing_after < 0)
      broken.push_back("entry " + std::to_string(i) + ": " + bytes(e.arrived) + " arrived in the window, " +
                       bytes(e.offered) + " were offered and " + bytes(e.missing_before) + " were on their way");
  return broken;
}

}  // namespace peerpath::network_run
