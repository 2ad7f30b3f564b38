#include "observe/resource_users.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "observe/link_totals.hpp"

namespace peerpath::observe {
namespace {

constexpr std::string_view root_port = " of root port ";

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// The device behind a root port, by the number of the port: ports are numbered in the order of the links.
std::string behind_port(const scenario::Scenario& scenario, std::string_view root, std::string_view number) {
  int port = 0;
  std::from_chars(number.data(), number.data() + number.size(), port);
  for (const auto& link : scenario.links)
    if (scenario::device_of(link.from) == root && port-- == 0) return scenario::device_of(link.to);
  return {};
}

/// The device on the way that a resource is named after; "" if it is another one's.
std::string_view owner_of(const EntryPath& path, std::string_view resource) {
  for (const auto& node : path.nodes)
    if (resource == node || resource.starts_with(node + " ")) return node;
  return {};
}

bool of_a_link(const EntryPath& path, std::string_view resource) {
  // A limit of one direction between sockets is named after that direction.
  return std::ranges::any_of(path.data, [&](const LinkSide& side) {
    return resource.starts_with("link " + side.link->name + " ") ||
           resource.starts_with("link " + side.from() + "-" + side.to() + " ");
  });
}

/// Whether what the resource does is what the entry does there.
bool fits(const TrafficResult& traffic, const EntryPath& path, std::string_view owner, std::string_view what) {
  const auto asks = std::ranges::find(traffic.requesters, owner) != traffic.requesters.end();
  if (what == "tags") return asks && path.reads;
  if (what.starts_with("transfers in flight")) {
    const auto of = what.find(" of ");
    return owner == traffic.from && (of == what.npos || what.substr(of + 4) == traffic.name);
  }
  if (what == "queue depth" || what == "medium") return owner == traffic.from || owner == traffic.to;
  if (what == "copy engines") return asks && (traffic.kind == "copy" || traffic.requesters.size() > 1);
  if (what == "Ethernet transmit") return owner == traffic.from && traffic.kind == "transmit";
  if (what == "concurrent peer reads") return path.reads && !asks;
  if (has(what, "writes")) return path.writes;
  if (has(what, "reads")) return path.reads;
  return true;
}

}  // namespace

bool uses(const scenario::Scenario& scenario, const TrafficResult& traffic, const EntryPath& path,
          const std::string& resource) {
  if (resource.starts_with("link "))
    return of_a_link(path, resource) && (has(resource, " writes") ? path.writes : path.reads);
  const auto owner = owner_of(path, resource);
  if (owner.empty()) return false;
  if (owner.size() == resource.size()) return true;  // a proxy is a resource itself
  std::string_view what{resource};
  what.remove_prefix(owner.size() + 1);
  if (const auto port = what.find(root_port);
      port != what.npos && !path.passes(behind_port(scenario, owner, what.substr(port + root_port.size()))))
    return false;
  return fits(traffic, path, owner, what);
}

std::optional<Duration> busiest_core(const CpuResult& cpu, const TrafficResult& traffic) {
  if (const auto own = cpu.busiest_of.find(traffic.name); own != cpu.busiest_of.end()) return own->second;
  const bool by_programs = traffic.kind == "gpunet" && scenario::host_of(cpu.name) == scenario::host_of(traffic.from);
  return by_programs ? std::optional{cpu.busiest} : std::nullopt;
}

Decimal memory_use(const MemoryResult& memory, const TrafficResult& traffic, const EntryPath& path,
                   const Results& results) {
  const bool asks = std::ranges::find(traffic.requesters, memory.name) != traffic.requesters.end();
  auto use = memory;
  if (asks || !path.reads) use.read = use.own_read;
  if (asks || !path.writes) use.written = use.own_written;
  return utilisation(use, results.window);
}

std::string pool_key(const std::string& pool) { return pool.ends_with("queue depth") ? "queue_depth" : "outstanding"; }

}  // namespace peerpath::observe
