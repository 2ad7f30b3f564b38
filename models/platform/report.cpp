#include "platform/report.hpp"

#include "core/host/refused_writes.hpp"

namespace peerpath::platform {
namespace {

using pcie::Purpose;

/// The one link of a leaf, and the direction towards it.
struct Leaf {
  std::size_t link = 0;
  std::size_t towards = 0;
};

Leaf leaf_of(const fabric::Topology& topology, fabric::NodeId node) {
  for (std::size_t l = 0; l < topology.links.size(); ++l) {
    if (topology.links[l].b == node) return {l, 0};
    if (topology.links[l].a == node) return {l, 1};
  }
  return {};
}

}  // namespace

void Report::add(const std::string& name, const std::string& unit, std::int64_t value, const std::string& doc) {
  results.metrics.push_back({name, unit, observe::Decimal{value, 0}, doc});
}

/// Doorbells and interrupts are no memory; of the device's own transactions its reads bring data in, and what it writes
/// elsewhere comes out of memory only as payload.
MemoryLoad memory_load(const Report& report, fabric::NodeId node, Bytes refused) {
  const auto place = leaf_of(report.topology, node);
  MemoryLoad load;
  for (std::size_t requester = 0; requester < report.topology.nodes.size(); ++requester) {
    for (const auto& entry : enum_names(Purpose{})) {
      const Purpose purpose = entry.value;
      if (purpose == Purpose::doorbell || purpose == Purpose::interrupt) continue;
      const auto moved = [&](std::size_t direction) {
        return report.links_after.tally(place.link, direction, requester, purpose).payload -
               report.links_before.tally(place.link, direction, requester, purpose).payload;
      };
      const bool own = requester == node.value();
      const Bytes written = moved(place.towards);
      const Bytes read = own && purpose != Purpose::payload ? Bytes{0} : moved(1 - place.towards);
      load.all.written += written;
      load.all.read += read;
      if (!own) continue;
      load.own.written += written;
      load.own.read += read;
    }
  }
  load.all.written -= refused;
  return load;
}

Bytes refused_by(const host::RefusedWrites* counter) { return counter == nullptr ? Bytes{0} : counter->bytes(); }

}  // namespace peerpath::platform
