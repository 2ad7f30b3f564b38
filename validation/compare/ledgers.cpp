#include "validation/compare/ledgers.hpp"

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace peerpath::compare {
namespace {

using Json = nlohmann::json;
using Verdict = LedgerLine::Verdict;
using Side = std::tuple<std::string, std::string, std::string>;  ///< link, direction, purpose

struct Ring {
  std::int64_t entries = 0, bytes = 0;
};

struct Run {
  std::map<Side, std::int64_t> bytes;
  std::map<std::string, std::string> link_of;                ///< of a device: the link of which it is the farther end
  std::map<std::string, std::map<std::string, Ring>> rings;  ///< NIC, "rx_descriptor"
};

constexpr std::array<const char*, 4> ring_kinds{"rx_descriptor", "rx_completion", "tx_descriptor", "tx_completion"};

Run read(const std::string& document) {
  const auto all = Json::parse(document);
  if (!all.at("complete").get<bool>()) throw std::runtime_error{"the run was interrupted"};
  Run run;
  for (const auto& side : all.at("ledger")) {
    const auto link = side.at("link").get<std::string>();
    run.link_of[side.at("farther").get<std::string>()] = link;
    for (const auto& row : side.at("rows"))
      run.bytes[{link, side.at("direction").get<std::string>(), row.at("purpose").get<std::string>()}] +=
          row.at("data_bytes").get<std::int64_t>();
  }
  for (const auto& metric : all.at("metrics")) {
    const auto name = metric.at("name").get<std::string>();
    for (const std::string kind : ring_kinds) {
      const auto device = name.substr(0, name.find('.'));
      if (name == device + "." + kind + "s") run.rings[device][kind].entries = metric.at("value").get<std::int64_t>();
      if (name == device + "." + kind + "_bytes")
        run.rings[device][kind].bytes = metric.at("value").get<std::int64_t>();
    }
  }
  return run;
}

std::int64_t bytes_of(const Run& run, const Side& side) {
  const auto found = run.bytes.find(side);
  return found == run.bytes.end() ? 0 : found->second;
}

void add_links(const Run& a, const Run& b, std::vector<LedgerLine>& out) {
  std::set<Side> sides;
  for (const auto* run : {&a, &b})
    for (const auto& [side, bytes] : run->bytes) sides.insert(side);
  for (const auto& side : sides) {
    const auto& [link, direction, kind] = side;
    LedgerLine line{link, direction, kind, bytes_of(a, side), bytes_of(b, side), 0, 0, Verdict::reported};
    if (line.first == 0 && line.second == 0) continue;
    if (kind == "payload" || kind == "header")
      line.verdict = line.first == line.second ? Verdict::equal : Verdict::different;
    out.push_back(line);
  }
}

Ring ring_of(const Run& run, const std::string& nic, const char* kind) {
  const auto device = run.rings.find(nic);
  if (device == run.rings.end()) return {};
  const auto ring = device->second.find(kind);
  return ring == device->second.end() ? Ring{} : ring->second;
}

void add_rings(const Run& a, const Run& b, std::vector<LedgerLine>& out) {
  std::set<std::string> nics;
  for (const auto* run : {&a, &b})
    for (const auto& [nic, rings] : run->rings) nics.insert(nic);
  for (const auto& nic : nics) {
    for (const auto* kind : ring_kinds) {
      const auto x = ring_of(a, nic, kind), y = ring_of(b, nic, kind);
      if (x.entries == 0 && y.entries == 0) continue;
      const auto each = [](const Ring& r) { return r.entries == 0 ? 0 : r.bytes / r.entries; };
      LedgerLine line{nic, "", kind, each(x), each(y), x.entries, y.entries, Verdict::reported};
      if (x.entries > 0 && y.entries > 0) {
        const bool whole = x.bytes % x.entries == 0 && y.bytes % y.entries == 0;
        line.verdict = whole && line.first == line.second ? Verdict::equal : Verdict::different;
      }
      out.push_back(line);
    }
  }
}

/// Whether the ledger has what each NIC counted: what it reads comes down to it, what it writes goes up.
std::string unaccounted(const Run& run) {
  for (const auto& entry : run.rings) {
    const auto& nic = entry.first;
    const auto link = run.link_of.find(nic);
    if (link == run.link_of.end()) continue;
    const auto counted = [&](const char* one, const char* other) {
      return ring_of(run, nic, one).bytes + ring_of(run, nic, other).bytes;
    };
    const auto read = bytes_of(run, {link->second, "down", "descriptor"});
    const auto written = bytes_of(run, {link->second, "up", "completion_entry"});
    if (read != counted("rx_descriptor", "tx_descriptor"))
      return nic + " counted " + std::to_string(counted("rx_descriptor", "tx_descriptor")) +
             " B of descriptors, its link carried " + std::to_string(read) + " B";
    if (written != counted("rx_completion", "tx_completion"))
      return nic + " counted " + std::to_string(counted("rx_completion", "tx_completion")) +
             " B of completion entries, its link carried " + std::to_string(written) + " B";
  }
  return {};
}

}  // namespace

tl::expected<std::vector<LedgerLine>, std::string> compare_ledgers(const std::string& first,
                                                                   const std::string& second) {
  std::vector<LedgerLine> lines;
  const char* which = "the first";
  try {
    const auto a = read(first);
    which = "the second";
    const auto b = read(second);
    for (const auto* run : {&a, &b}) {
      if (const auto problem = unaccounted(*run); !problem.empty())
        return tl::unexpected{std::string{run == &a ? "the first: " : "the second: "} + problem +
                              "; compare takes whole transfers: traffic with `bytes`, `run.warmup` 0ns"};
    }
    add_links(a, b, lines);
    add_rings(a, b, lines);
  } catch (const std::exception& e) {
    return tl::unexpected{std::string{which} + " is not the results.json of a whole run: " + e.what()};
  }
  return lines;
}

}  // namespace peerpath::compare
