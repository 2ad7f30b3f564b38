// The ports of a domain become links of its fabric, and what foreign components need of it.
#include <algorithm>
#include <limits>
#include <utility>

#include "peerpath/sc/time.hpp"
#include "sc/domain_parts.hpp"
#include "sc/reactor.hpp"

namespace peerpath::sc {

MemoryMap& Domain::memory_map() { return parts_->map; }
Passages& Domain::passages() { return parts_->passages; }

bool Domain::gives_direct_access() const { return parts_->config.direct_memory && !parts_->changed; }

bool Domain::direct_access(fabric::NodeId from, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  if (!gives_direct_access()) {
    dmi.init();
    dmi.allow_read_write();  // with the answer false: the accesses that are denied
    return false;
  }
  const auto address = payload.get_address();
  if (!parts_->map.direct(from, payload, dmi)) return false;
  const auto target = parts_->map.find(address)->node;
  const auto to = parts_->passages.via(from, target).value_or(target);
  auto found = parts_->latencies.find({from, to});
  if (found == parts_->latencies.end())
    found = parts_->latencies.emplace(std::pair{from, to}, unloaded_latency(parts_->topology, from, to)).first;
  dmi.set_read_latency(dmi.get_read_latency() + to_sc_time(found->second.read));
  dmi.set_write_latency(dmi.get_write_latency() + to_sc_time(found->second.write));
  return true;
}

void Domain::invalidate(fabric::NodeId node, std::uint64_t first, std::uint64_t last) {
  for (const auto& claim : parts_->map.claims()) {
    if (claim.node != node || !claim.memory) continue;
    const auto base = claim.window.base - claim.shift, end = base + claim.window.size - 1;
    if (first > end || last < base) continue;
    for (const auto& [other, foreign] : parts_->map.foreign())
      foreign->invalidate(std::max(first, base) + claim.shift, std::min(last, end) + claim.shift);
  }
}

void Domain::adopt(fabric::NodeId node, ForeignEndpoint& foreign) {
  parts_->map.add(node, foreign);
  parts_->initiators |= foreign.initiates();
  reactor_->observe(parts_.get());
}

/// Makes an endpoint of the foreign component bound to the port.
void Domain::adopt(PciePort& port) {
  const auto& function = port.function;
  const auto node = port.foreign_node();
  endpoint(node) = {.max_payload = function.max_payload,
                    .max_read_request = function.max_read_request,
                    .max_completion = function.max_payload,
                    .tags = function.tags,
                    .completion_timeout = function.completion_timeout,
                    .external = true};
  port.adopt();
  adopt(node, *port.adopted());
  attach(*port.adopted(), {.node = node, .hears_arrivals = true});
  for (const auto& window : port.windows)
    parts_->map.add({window, node, true, port.offsets() ? window.base : std::uint64_t{0}});
}

/// A router whose leaves are the foreign component's two sides: nothing goes from port to port without them.
void Domain::link_through(PciePort& a, PciePort& b) {
  const auto hub = add_router(a.name() + "_" + b.name() + "_between", {.latency = Duration{1}});
  const auto inside = link_direction({.internal = true}, parts_->max_payload);
  Between between{.hub = hub};
  for (int side = 0; side < 2; ++side) {
    auto& port = side == 0 ? a : b;
    const auto direction = link_direction(port.link, parts_->max_payload);
    auto back = direction;
    back.gate = port.gate;
    between.side[side] = port.adopted()->node();
    between.link[side] = parts_->links[&port] = connect(port.node(), hub, direction, back);
    parts_->topology.links.back().vc1_classes = port.link.vc1_classes;
    connect(hub, port.adopted()->node(), inside, inside);
  }
  parts_->passages.add(between);
}

void Domain::add_links() {
  for (auto* port : parts_->ports)
    if (port->foreign()) adopt(*port);
  // System software gives one MPS to a whole hierarchy; inside the root complex there is none.
  Bytes& max_payload = parts_->max_payload;
  for (auto* port : parts_->ports) {
    const auto& node = parts_->topology.nodes[port->node().value()];
    const auto mps = port->foreign()    ? port->function.max_payload
                     : node.is_endpoint ? node.endpoint.max_payload
                                        : Bytes{0};
    if (!port->link.internal) max_payload = std::max(max_payload, mps);
  }
  for (auto* port : parts_->ports) {
    if (parts_->links.contains(port)) continue;
    auto direction = link_direction(port->link, max_payload);
    if (port->beyond() != nullptr) {
      link_through(*port, *port->beyond());
    } else if (port->foreign()) {
      auto back = direction;
      back.gate = port->gate;
      parts_->links[port] = connect(port->node(), port->adopted()->node(), direction, back);
      parts_->topology.links.back().vc1_classes = port->link.vc1_classes;
    } else if (auto* peer = port->peer()) {
      auto back = link_direction(peer->link, max_payload);
      direction.gate = peer->gate;
      back.gate = port->gate;
      parts_->links[port] = parts_->links[peer] = connect(port->node(), peer->node(), direction, back);
      parts_->topology.links.back().vc1_classes = port->link.vc1_classes;
    }
  }
}

}  // namespace peerpath::sc
