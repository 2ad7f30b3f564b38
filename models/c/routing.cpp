#include "peerpath/c/routing.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "c/guard.hpp"
#include "core/pcie/link_ledger.hpp"
#include "core/pcie/switch_turn.hpp"

namespace pcie = peerpath::pcie;
using peerpath::Bytes;
using peerpath::c::guarded;

struct pp_ledger {
  pcie::LinkLedger ledger;
  std::uint64_t faults = 0;
};

namespace {

Bytes bytes_of(std::uint64_t n) { return Bytes{static_cast<std::int64_t>(n)}; }

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return out + '"';
}

template <class Enum>
std::string_view spelling(Enum value) {
  for (const auto& known : enum_names(Enum{}))
    if (known.value == value) return known.name;
  return "?";
}

std::string field(std::string_view key, std::int64_t value) {
  return ", " + json_text(key) + ": " + std::to_string(value);
}
std::string field(std::string_view key, std::string_view value) {
  return ", " + json_text(key) + ": " + json_text(value);
}

std::string rows_of(const pcie::LinkLedger& ledger, std::uint32_t link, bool up) {
  std::string text;
  for (const auto& [key, traffic] : ledger.rows()) {
    if (key.link != link || key.up != up) continue;
    text += std::string{text.empty() ? "" : ", "} + "{\"requester\": " + json_text(ledger.name(key.requester)) +
            field("purpose", spelling(key.purpose)) + field("tlps", traffic.tlps) +
            field("data_bytes", traffic.data.count()) + field("overhead_bytes", traffic.overhead.count()) + "}";
  }
  return text;
}

std::string json_of(const pcie::LinkLedger& ledger) {
  std::string text = "{\"ledger\": [";
  const auto& links = ledger.links();
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    for (const bool up : {true, false})
      text += std::string{i == 0 && up ? "\n  " : ",\n  "} +
              "{\"link\": " + json_text(links[i].farther + "-" + links[i].nearer) +
              field("direction", up ? "up" : "down") + field("nearer", links[i].nearer) +
              field("farther", links[i].farther) + ", \"rows\": [" + rows_of(ledger, i, up) + "]}";
  }
  text += "],\n \"routes\": [";
  bool first = true;
  for (const auto& [key, total] : ledger.routes()) {
    text += std::string{first ? "\n  " : ",\n  "} + "{\"requester\": " + json_text(ledger.name(key.requester)) +
            field("completer", ledger.name(key.completer)) +
            field("operation", key.op == pcie::Operation::memory_read ? "read" : "write") +
            field("purpose", spelling(key.purpose)) + field("route", ledger.way(key.path)) +
            field("accesses", total.accesses) + field("failed", total.failed) + field("bytes", total.bytes.count()) +
            "}";
    first = false;
  }
  return text + "]}\n";
}

}  // namespace

pp_way pp_turn(const pp_port* ports, uint32_t count, uint32_t ingress, uint64_t address, uint64_t size,
               uint16_t requester, uint32_t* port) {
  std::uint64_t faults = 0;
  pp_way way = PP_REFUSED;
  guarded(faults, [&] {
    std::vector<pcie::PortRegisters> registers(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto& p = ports[i];
      registers[i] = {{p.acs_control, 0, p.secondary_bus, p.subordinate_bus}, p.memory_enabled, p.bus_master, {}};
      for (std::size_t w = 0; w < 2; ++w)
        registers[i].windows[w] = {peerpath::BusAddress{p.windows[w].base}, bytes_of(p.windows[w].size)};
    }
    const pcie::Bdf bdf{static_cast<std::uint8_t>(requester >> 8), static_cast<std::uint8_t>(requester >> 3 & 31),
                        static_cast<std::uint8_t>(requester & 7)};
    const auto turn =
        pcie::turn_request(registers, static_cast<int>(ingress), peerpath::BusAddress{address}, bytes_of(size), bdf);
    if (turn.way == pcie::TurnWay::down) *port = static_cast<std::uint32_t>(turn.port);
    way = turn.way == pcie::TurnWay::down ? PP_DOWN : turn.way == pcie::TurnWay::upstream ? PP_UPSTREAM : PP_REFUSED;
  });
  return way;
}

pp_ledger* pp_ledger_new() { return new (std::nothrow) pp_ledger{}; }
void pp_ledger_free(pp_ledger* ledger) { delete ledger; }

uint32_t pp_ledger_name(pp_ledger* ledger, const char* name) {
  std::uint32_t index = 0;
  guarded(ledger->faults, [&] { index = ledger->ledger.name(name); });
  return index;
}

const char* pp_ledger_name_of(const pp_ledger* ledger, uint32_t number) { return ledger->ledger.name(number).c_str(); }

uint32_t pp_ledger_link(pp_ledger* ledger, const char* farther, const char* nearer, bool internal) {
  std::uint32_t index = 0;
  guarded(ledger->faults, [&] { index = ledger->ledger.link(farther, nearer, internal); });
  return index;
}

void pp_ledger_link_ends(const pp_ledger* ledger, uint32_t link, const char** farther, const char** nearer) {
  const auto& ends = ledger->ledger.links()[link];
  *farther = ends.farther.c_str();
  *nearer = ends.nearer.c_str();
}

void pp_ledger_add(pp_ledger* ledger, const pp_access* a) {
  guarded(ledger->faults, [&] {
    std::vector<pcie::LinkLedger::Hop> path;
    for (std::uint32_t i = 0; i < a->hops; ++i) path.push_back({a->path[i].link, a->path[i].up});
    pcie::SplitRules rules;
    rules.max_payload = rules.max_completion = Bytes{a->max_payload};
    rules.max_read_request = Bytes{a->max_read_request};
    ledger->ledger.add({.requester = a->requester,
                        .completer = a->completer,
                        .op = a->write ? pcie::Operation::memory_write : pcie::Operation::memory_read,
                        .purpose = static_cast<pcie::Purpose>(a->purpose),
                        .status = a->failed ? pcie::Status::unsupported_request : pcie::Status::success,
                        .address = a->address,
                        .bytes = bytes_of(a->size),
                        .rules = rules,
                        .path = path});
  });
}

void pp_ledger_reset(pp_ledger* ledger) { ledger->ledger.reset(); }

char* pp_ledger_json(const pp_ledger* ledger) {
  std::uint64_t faults = 0;
  char* text = nullptr;
  guarded(faults, [&] {
    const auto json = json_of(ledger->ledger);
    text = static_cast<char*>(std::malloc(json.size() + 1));
    if (text != nullptr) std::memcpy(text, json.c_str(), json.size() + 1);
  });
  return text;
}
