// The ports of a domain become links of its fabric, and what foreign components need of it.
#include <algorithm>
#include <limits>
#include <utility>

#include "peerpath/sc/time.hpp"
#include "sc/domain_parts.hpp"

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
    found = parts_->latencies.emplace(std::pair{from, to}, unloaded_latency(topology(), from, to)).first;
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
  plain().reactor().observe(parts_.get());
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
    plain().claim({window, node, true, port.offsets() ? window.base : std::uint64_t{0}});
  if (port.beyond() != nullptr) return;
  auto& far = parts_->far.emplace_back(node);
  far.link = port.link;
  far.peer = &port.plain();
  port.plain().peer = &far;
}

/// A router whose leaves are the foreign component's two sides: nothing goes from port to port without them.
void Domain::link_through(PciePort& a, PciePort& b) {
  const auto hub = add_router(a.name() + "_" + b.name() + "_between", {.latency = Duration{1}});
  const auto inside = link_direction({.internal = true}, Bytes{});
  Between between{.hub = hub};
  for (const int side : {0, 1}) {
    auto& port = side == 0 ? a : b;
    between.side[side] = port.adopted()->node();
    connect(hub, port.adopted()->node(), inside, inside);
    auto& far = parts_->far.emplace_back(hub);
    far.link = port.link;
    far.peer = &port.plain();
    port.plain().peer = &far;
  }
  parts_->throughs.push_back({between, {&a, &b}});
}

/// Sockets may have been bound without PciePort::bind.
void Domain::join_ports() {
  for (auto* port : parts_->ports) {
    if (auto* peer = port->peer()) port->plain().peer = &peer->plain();
    if (auto* beyond = port->beyond()) port->plain().beyond = &beyond->plain();
  }
}

void Domain::add_links() {
  Bytes max_payload{128};
  for (auto* port : parts_->ports) {
    if (!port->foreign()) continue;
    adopt(*port);
    if (!port->link.internal) max_payload = std::max(max_payload, port->function.max_payload);
  }
  for (auto* port : parts_->ports)
    if (port->beyond() != nullptr && port->plain().peer == nullptr) link_through(*port, *port->beyond());
  plain().link(max_payload);
  for (auto& [between, ports] : parts_->throughs) {
    for (const int side : {0, 1}) between.link[side] = plain().link_of(ports[static_cast<std::size_t>(side)]->plain());
    parts_->passages.add(between);
  }
}

}  // namespace peerpath::sc
