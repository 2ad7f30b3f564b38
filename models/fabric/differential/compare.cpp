// What differs between two outcomes, and the smallest case that shows it.
#include <algorithm>
#include <sstream>

#include "fabric/differential/driver.hpp"

namespace peerpath::fabric::differential {
namespace {

std::string text(const Delivery& d) {
  std::ostringstream out;
  out << "kind " << int(d.kind) << " op " << int(d.op) << " purpose " << int(d.purpose) << " status " << int(d.status)
      << " spoofed " << d.spoofed << " notify " << d.notify << " requester " << d.requester.value() << " target "
      << d.target.value() << " channel " << d.channel.value() << " cookie " << d.cookie << " address " << d.address
      << " bytes " << d.bytes.count() << " missing " << d.missing.count() << " ready " << femtoseconds(d.ready)
      << " done " << femtoseconds(d.done);
  return out.str();
}

std::string text(const std::string& t) { return t; }

std::string text(const TlpRecord& t) {
  std::ostringstream out;
  out << "link " << t.link.value() << '/' << t.direction << " class " << int(t.tlp_class) << " op " << int(t.op)
      << " purpose " << int(t.purpose) << " requester " << t.requester.value() << " target " << t.target.value()
      << " cookie " << t.cookie << " address " << t.address << " payload " << t.payload.count() << " start "
      << femtoseconds(t.start) << " end " << femtoseconds(t.end) << " channel " << t.channel;
  return out.str();
}

std::string text(const Counted& c) {
  std::ostringstream out;
  out << "dllps " << c.dllps << " busy " << c.busy.count() << " queueing " << c.queueing.count() << " credit_stall "
      << c.credit_stall.count() << " replays " << c.replays << " replaying " << c.replaying.count() << " signalling "
      << c.signalling.count() << " ahead " << c.ahead.count() << " tallies";
  for (std::size_t i = 0; i < c.tallies.size(); ++i)
    if (c.tallies[i].tlps != 0)
      out << " [" << i / pcie::purposes << ',' << i % pcie::purposes << "] " << c.tallies[i].tlps << '/'
          << c.tallies[i].payload.count() << '/' << c.tallies[i].overhead.count();
  out << " accounts";
  for (const Bytes account : c.accounts) out << ' ' << account.count();
  return out.str();
}

template <class T>
std::string first_difference(const char* what, const std::vector<T>& expected, const std::vector<T>& got) {
  const std::size_t size = std::max(expected.size(), got.size());
  for (std::size_t i = 0; i < size; ++i) {
    const std::string want = i < expected.size() ? text(expected[i]) : "nothing";
    const std::string have = i < got.size() ? text(got[i]) : "nothing";
    if (want == have) continue;
    return std::string(what) + " " + std::to_string(i) + " of " + std::to_string(expected.size()) + "\n  expected " +
           want + "\n  got      " + have + "\n";
  }
  return {};
}

/// Tries to do without chunks of `items`, halving the chunk.
template <class T, class Differs>
void drop(std::vector<T>& items, const Differs& still_differs, int& attempts) {
  for (std::size_t chunk = std::max<std::size_t>(items.size() / 2, 1); chunk > 0; chunk /= 2)
    for (std::size_t at = 0; at < items.size() && attempts > 0;) {
      const std::vector<T> before = items;
      const auto first = items.begin() + static_cast<std::ptrdiff_t>(at);
      items.erase(first, first + static_cast<std::ptrdiff_t>(std::min(chunk, items.size() - at)));
      --attempts;
      if (still_differs()) continue;
      items = before;
      at += chunk;
    }
}

}  // namespace

std::string difference(const Outcome& expected, const Outcome& got) {
  if (!got.broken.empty()) return got.broken + "\n";
  if (!expected.broken.empty()) return "the reference: " + expected.broken + "\n";
  std::string found = first_difference("TLP", expected.tlps, got.tlps);
  if (found.empty()) found = first_difference("delivery", expected.deliveries, got.deliveries);
  if (found.empty()) found = first_difference("counters of direction", expected.counters, got.counters);
  if (found.empty()) found = first_difference("blocked queue", expected.blocked, got.blocked);
  return found;
}

Scenario shrink(const Scenario& scenario, const Make& expected, const Make& got) {
  Scenario small = scenario;
  int attempts = 600;
  const auto differs = [&] { return !difference(play(small, expected), play(small, got)).empty(); };
  drop(small.exchanges, differs, attempts);
  drop(small.planned, differs, attempts);
  drop(small.faults, differs, attempts);
  drop(small.flips, differs, attempts);
  drop(small.gates, differs, attempts);
  drop(small.changes, differs, attempts);
  small.observed = true;
  if (!differs()) small.observed = scenario.observed;
  return small;
}

std::string compare(const Scenario& scenario, const Make& expected, const Make& got) {
  if (difference(play(scenario, expected, true), play(scenario, got)).empty()) return {};
  const Scenario small = shrink(scenario, expected, got);
  return "seed " + std::to_string(scenario.seed) + ": " +
         difference(play(scenario, expected, true), play(scenario, got)) +
         "shrunk: " + difference(play(small, expected), play(small, got)) + describe(small);
}

}  // namespace peerpath::fabric::differential
