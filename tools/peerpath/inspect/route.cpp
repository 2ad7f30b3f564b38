// peerpath route: the path of TLPs between two devices of a scenario, and the decision of Linux's p2pdma.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/pcie/p2pdma.hpp"
#include "peerpath/base/nearest.hpp"
#include "peerpath/scenario/bar1.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/tree.hpp"
#include "study/pcie/route_text.hpp"
#include "study/pcie/socket_route.hpp"
#include "study/text/text_table.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/scenario_files.hpp"

namespace peerpath::cli {
namespace {

using nlohmann::ordered_json;
using pcie::AcsAction;
using scenario::Hierarchy;
using study::control_at;
using study::id_at;
using study::name_at;
using study::relaxes;
using study::said;
using study::SocketEnd;
using study::SocketRoute;
using study::translates;

int host_bridge_at(const Hierarchy& h, int function) { return h.host_bridges[static_cast<std::size_t>(function)]; }

/// The verdict's reason, as a sentence.
std::string reason(const Hierarchy& h, const pcie::P2pVerdict& verdict, int from, int to) {
  std::string bridges;
  for (const int bridge : verdict.redirects)
    bridges += (bridges.empty() ? "" : ", ") + name_at(h, bridge) + " (" + control_at(h, bridge) + ")";
  if (verdict.mapping == pcie::P2pMapping::bus_address)
    return "both are below " + name_at(h, verdict.common_bridge) + ", and no bridge between them redirects";
  const bool one_host_bridge = host_bridge_at(h, to) == host_bridge_at(h, from);
  const auto why = !bridges.empty()  ? "ACS redirects at " + bridges
                   : one_host_bridge ? "no bridge below the root complex is common to both"
                                     : "they are below host bridges " + std::to_string(host_bridge_at(h, to)) +
                                           " and " + std::to_string(host_bridge_at(h, from));
  const bool trusted = verdict.mapping == pcie::P2pMapping::through_host_bridge;
  return why + (trusted ? "; the kernel trusts " : "; the kernel does not trust ") + h.root + " to forward between " +
         (one_host_bridge ? "its ports" : "host bridges") + " (host_bridge)";
}

pcie::P2pVerdict verdict_of(const Hierarchy& h, int from, int to) {
  return pcie::p2pdma(h.functions, h.acs, to, from, h.host_bridge, h.host_bridge,
                      host_bridge_at(h, to) == host_bridge_at(h, from));
}

ordered_json to_json(const Hierarchy& h, const pcie::P2pVerdict& verdict, int from, int to) {
  return {
      {"mapping", name_of(verdict.mapping)}, {"distance", verdict.distance}, {"reason", reason(h, verdict, from, to)}};
}

std::string text(const Hierarchy& h, const pcie::P2pVerdict& verdict, int from, int to) {
  return std::string{name_of(verdict.mapping)} + ", distance " + std::to_string(verdict.distance) + ": " +
         reason(h, verdict, from, to);
}

ordered_json to_json(const Hierarchy& h, const pcie::PacketRoute& route) {
  auto hops = ordered_json::array();
  for (const auto& hop : route.hops)
    hops.push_back({{"at", name_at(h, hop.function)},
                    {"id", id_at(h, hop.function)},
                    {"acs", control_at(h, hop.function)},
                    {"action", name_of(hop.action)},
                    {"because", hop.because == 0 ? "" : pcie::acs::to_string(hop.because)}});
  return {{"delivered", route.delivered()}, {"redirected", route.redirected()}, {"hops", hops}};
}

/// TLPs of one kind from one function to another.
struct Asked {
  std::string key, title;
  int from = 0, to = 0;
  pcie::RouteKind kind{};
};

study::TextTable table_of_hops() {
  return study::TextTable{{{"hop", study::TextTable::Align::left},
                           {"id", study::TextTable::Align::left},
                           {"ACS", study::TextTable::Align::left},
                           {"", study::TextTable::Align::left}}};
}

std::string text(const Hierarchy& h, const Asked& asked, const pcie::PacketRoute& route) {
  study::TextTable table = table_of_hops();
  for (const auto& hop : route.hops)
    table.add(
        {name_at(h, hop.function), id_at(h, hop.function), control_at(h, hop.function), said(h, hop, asked.kind)});
  return asked.title + "\n" + table.text(2) + "\n";
}

ordered_json to_json(const scenario::Scenario& s, const scenario::Bar1Plan& plan) {
  auto registrations = ordered_json::array();
  for (const auto& mapping : plan.mappings) {
    auto traffic = ordered_json::array();
    for (const auto i : mapping.entries) traffic.push_back(s.traffic[i].name);
    registrations.push_back({{"traffic", traffic},
                             {"registered_bytes", mapping.registered.count()},
                             {"mapped_bytes", mapping.given.count()},
                             {"verdict", name_of(mapping.verdict)}});
  }
  return {{"size_bytes", plan.size.count()},
          {"reserved_bytes", plan.reserved.count()},
          {"used_bytes", plan.used.count()},
          {"registrations", registrations}};
}

std::string text(const scenario::Scenario& s, const scenario::Bar1Plan& plan) {
  using scenario::to_text;
  std::string out = "BAR1 of " + plan.gpu + "\n  " + to_text(plan.used) + " of " + to_text(plan.size) + " used" +
                    (plan.reserved > Bytes{} ? ", " + to_text(plan.reserved) + " of them by its driver" : "") + "\n";
  for (const auto& mapping : plan.mappings) {
    out += "  ";
    for (const auto i : mapping.entries) out += (i == mapping.entries.front() ? "" : ", ") + s.traffic[i].name;
    out += ": " + to_text(plan, mapping) + "\n";
  }
  return out;
}

/// The function of a device, `at_root_complex` for host memory. Prints an error for a device that no route can end at.
std::optional<int> end_of(const scenario::Scenario& s, const Hierarchy& h, const std::string& name,
                          const Terminal& terminal) {
  std::vector<std::string> known;
  for (const auto& device : s.devices) {
    const auto* memory = std::get_if<device::HostMemoryConfig>(&device.config);
    if (memory != nullptr && memory->at == h.root && device.name == name) return pcie::at_root_complex;
    if (memory != nullptr || scenario::function_of(device) != nullptr) known.push_back(device.name);
  }
  for (std::size_t i = 0; i < h.functions.size(); ++i)
    if (h.functions[i].kind == pcie::FunctionKind::endpoint && h.functions[i].name == name) return static_cast<int>(i);
  const auto near = nearest(name, known);
  std::string all;
  for (const auto& one : known) all += (all.empty() ? "" : ", ") + one;
  terminal.error("'" + name + "' cannot be an end of a route" +
                 (near.empty() ? "; there are " + all : "; did you mean '" + near + "'?"));
  return std::nullopt;
}

std::vector<pcie::PacketRoute> routes(const Hierarchy& h, const std::vector<Asked>& asked) {
  std::vector<pcie::PacketRoute> routes;
  for (const auto& a : asked)
    routes.push_back(pcie::route(h.functions, h.acs, h.peer_to_peer, a.from, a.to, a.kind, h.iommu));
  return routes;
}

/// The outcome of a route, in words.
std::string brief(const Hierarchy& h, const Asked& asked, const pcie::PacketRoute& route) {
  std::string redirects;
  for (const auto& hop : route.hops)
    if (hop.action != AcsAction::direct) redirects += "; " + name_at(h, hop.function) + ": " + said(h, hop, asked.kind);
  const std::string way = !route.delivered()             ? "do not arrive"
                          : route.through_root_complex() ? "go via " + h.root
                                                         : "go straight";
  return way + redirects;
}

/// The verdict of p2pdma after an event, or "" if the event does not change it.
std::string verdict_after(const Hierarchy& before, const Hierarchy& after, const Asked& asked, ordered_json& change) {
  if (asked.to == pcie::at_root_complex) return "";
  const auto verdict = verdict_of(after, asked.from, asked.to);
  if (verdict.mapping == verdict_of(before, asked.from, asked.to).mapping) return "";
  change["p2pdma"] = to_json(after, verdict, asked.from, asked.to);
  return "    Linux p2pdma, first query: " + text(after, verdict, asked.from, asked.to) + "\n";
}

/// The events, by time, that change one of the routes asked for or the verdict of p2pdma.
std::string changes(const scenario::Scenario& s, Hierarchy h, const std::vector<Asked>& asked, ordered_json& document) {
  auto events = s.events;
  std::ranges::stable_sort(events, {}, &scenario::Event::at);
  std::string out;
  auto before = routes(h, asked);
  for (const auto& event : events) {
    if (!event.is<scenario::event::Acs>() || event.at == Duration{0}) continue;
    const auto h_before = h;
    scenario::happen(h, s, event);
    const auto after = routes(h, asked);
    std::string line;
    ordered_json change{{"at", scenario::to_text(event.at)}, {"event", scenario::to_text(event)}};
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (after[i] == before[i]) continue;
      line += (line.empty() ? ": " : "; ") + asked[i].title + " " + brief(h, asked[i], after[i]);
      change[asked[i].key] = to_json(h, after[i]);
    }
    before = after;
    const auto verdict = verdict_after(h_before, h, asked.front(), change);
    if (line.empty() && verdict.empty()) continue;
    out += "  at " + scenario::to_text(event.at) + ", " + scenario::to_text(event) + line + "\n" + verdict;
    document["changes"].push_back(std::move(change));
  }
  return out.empty() ? "" : "Changes by events\n" + out + "\n";
}

/// Whether an event has it send requests with a wrong requester ID.
bool spoofs(const scenario::Scenario& s, const std::string& name) {
  return std::ranges::any_of(s.events, [&](const scenario::Event& event) {
    return event.is<scenario::event::WrongRequesterId>() && event.device == name;
  });
}

ordered_json to_json(const SocketRoute& route) {
  auto hops = ordered_json::array();
  for (const auto& hop : route.hops)
    hops.push_back(
        {{"at", hop.at}, {"id", hop.id}, {"acs", hop.acs}, {"action", name_of(hop.action)}, {"because", hop.because}});
  return {{"delivered", route.delivered()}, {"redirected", false}, {"hops", hops}};
}

std::string text(const std::string& title, const SocketRoute& route) {
  study::TextTable table = table_of_hops();
  for (const auto& hop : route.hops) table.add({hop.at, hop.id, hop.acs, hop.said});
  return title + "\n" + table.text(2) + "\n";
}

/// What there is to ask of a request from one device to another, or to host memory, and of its completions.
std::vector<Asked> asked_of(const scenario::Scenario& s, const std::string& sender, const std::string& target, int from,
                            int to) {
  const auto there = " of " + sender + " to " + target, back = " of " + target + " to " + sender;
  std::vector<Asked> asked{{"request", "Requests" + there, from, to, pcie::RouteKind::request}};
  if (translates(s, sender))
    asked.push_back({"translated_request", "Translated requests" + there + " (ATS)", from, to,
                     pcie::RouteKind::translated_request});
  if (spoofs(s, sender))
    asked.push_back({"spoofed_request", "Requests" + there + " with a requester ID that nobody has", from, to,
                     pcie::RouteKind::spoofed_request});
  const bool relaxed = relaxes(s, sender);
  if (to != pcie::at_root_complex)
    asked.push_back({"completion", "Completions" + back + (relaxed ? " (RO)" : ""), to, from,
                     relaxed ? pcie::RouteKind::relaxed_completion : pcie::RouteKind::completion});
  return asked;
}

/// Routes and verdict of two devices below one root complex, or of a device and its memory.
std::string within(const scenario::Scenario& s, const Hierarchy& h, const std::vector<Asked>& asked,
                   ordered_json& document) {
  std::string out;
  const auto found = routes(h, asked);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    document[asked[i].key] = to_json(h, found[i]);
    out += text(h, asked[i], found[i]);
  }
  out += changes(s, h, asked, document);
  const auto& first = asked.front();
  if (first.to == pcie::at_root_complex) return out;
  const auto verdict = verdict_of(h, first.from, first.to);
  document["p2pdma"] = to_json(h, verdict, first.from, first.to);
  return out + "Linux p2pdma\n  " + text(h, verdict, first.from, first.to) + "\n";
}

/// The same of two sockets. What ACS events change on the way is left out: on the way up they only block.
std::string across(const scenario::Scenario& s, const SocketEnd& from, const SocketEnd& to,
                   const std::vector<Asked>& asked, ordered_json& document) {
  std::string out;
  for (const auto& a : asked) {
    const bool back = is_completion(a.kind);
    const auto route = socket_route(s, back ? to : from, back ? from : to, a.kind);
    document[a.key] = to_json(route);
    out += text(a.title, route);
  }
  if (to.function == pcie::at_root_complex) return out;
  const auto verdict = p2pdma(from, to);
  const auto why = reason(from, to);
  document["p2pdma"] = {{"mapping", name_of(verdict.mapping)}, {"distance", verdict.distance}, {"reason", why}};
  return out + "Linux p2pdma\n  " + std::string{name_of(verdict.mapping)} + ", distance " +
         std::to_string(verdict.distance) + ": " + why + "\n";
}

}  // namespace

Exit route(const Arguments& arguments, Terminal& terminal) {
  const auto& words = arguments.words();
  const auto loaded = load_host(words[0], arguments.overrides(), terminal, true);
  if (!loaded) return Exit::wrong_input;
  const scenario::Tree tree{loaded->scenario};
  const auto root = tree.root_of(words[1]), other = tree.root_of(words[2]);
  const auto host = scenario::host_of(words[1]), other_host = scenario::host_of(words[2]);
  if (!root.empty() && !other.empty() && host != other_host) {
    terminal.error(words[1] + " and " + words[2] + " are in different hosts; a PCIe route does not leave its host");
    return Exit::wrong_input;
  }
  const auto& s = loaded->scenario;
  const auto below = [&s](const std::string& r) { return r.empty() ? hierarchy_of(s) : hierarchy_of(s, r); };
  const auto h = below(root), far = below(other.empty() ? root : other);
  const auto from = end_of(s, h, words[1], terminal), to = end_of(s, far, words[2], terminal);
  if (!from || !to) return Exit::wrong_input;
  const bool crosses = h.root != far.root;
  if (*from == pcie::at_root_complex || (*from == *to && !crosses)) {
    terminal.error("a route connects a PCIe device with another one or with host memory");
    return Exit::wrong_input;
  }
  ordered_json document{{"scenario", words[0]}, {"from", words[1]}, {"to", words[2]}};
  const auto asked = asked_of(s, words[1], words[2], *from, *to);
  std::string out = crosses ? across(s, {h, *from}, {far, *to}, asked, document) : within(s, h, asked, document);
  for (const auto& plan : scenario::bar1_plans(s)) {
    if (plan.gpu != words[2]) continue;
    document["bar1"] = to_json(s, plan);
    out += "\n" + text(s, plan);
  }
  terminal.data(arguments.has("--json") ? document.dump(2) + "\n" : out);
  return Exit::done;
}

}  // namespace peerpath::cli
