#include "observe/ledger.hpp"

namespace peerpath::observe {
namespace {

struct Flow {
  fabric::Tally in, out;
};

void add(fabric::Tally& sum, const fabric::Tally& more) {
  sum.tlps += more.tlps;
  sum.payload += more.payload;
  sum.overhead += more.overhead;
}

Flow flow_through(const fabric::Topology& topology, const Snapshot& now, std::size_t node, std::size_t requester,
                  pcie::Purpose purpose) {
  Flow flow;
  for (std::size_t n = 0; n < topology.links.size(); ++n) {
    const auto& link = topology.links[n];
    if (link.a.value() == node) {
      add(flow.out, now.tally(n, 0, requester, purpose));
      add(flow.in, now.tally(n, 1, requester, purpose));
    } else if (link.b.value() == node) {
      add(flow.out, now.tally(n, 1, requester, purpose));
      add(flow.in, now.tally(n, 0, requester, purpose));
    }
  }
  return flow;
}

std::string sentence(const fabric::Topology& topology, std::size_t node, std::size_t requester, pcie::Purpose purpose,
                     const std::string& what) {
  return topology.nodes[node].name + ": " + std::string{name_of(purpose)} + " of " + topology.nodes[requester].name +
         ": " + what;
}

std::string counts(const Flow& flow) {
  return std::to_string(flow.in.tlps) + " TLPs with " + std::to_string(flow.in.payload.count()) + " B in, " +
         std::to_string(flow.out.tlps) + " TLPs with " + std::to_string(flow.out.payload.count()) + " B out";
}

}  // namespace

std::vector<std::string> conservation(const fabric::Topology& topology, const Snapshot& now, bool drained) {
  std::vector<std::string> violations;
  for (std::size_t node = 0; node < topology.nodes.size(); ++node) {
    for (std::size_t requester = 0; requester < topology.nodes.size(); ++requester) {
      for (const auto& [name, purpose] : enum_names(pcie::Purpose{})) {
        const auto flow = flow_through(topology, now, node, requester, purpose);
        if (topology.nodes[node].is_endpoint) {
          if (node != requester && flow.out.tlps > 0 && flow.in.tlps == 0)
            violations.push_back(sentence(topology, node, requester, purpose, "completions without a request"));
          continue;
        }
        const bool more = flow.out.tlps > flow.in.tlps || flow.out.payload > flow.in.payload;
        const bool less = flow.out.tlps < flow.in.tlps || flow.out.payload < flow.in.payload;
        if (more || (drained && less)) violations.push_back(sentence(topology, node, requester, purpose, counts(flow)));
      }
    }
  }
  return violations;
}

}  // namespace peerpath::observe
