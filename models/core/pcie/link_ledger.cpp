#include "core/pcie/link_ledger.hpp"

#include <algorithm>

namespace peerpath::pcie {

std::uint32_t LinkLedger::name(std::string_view name) {
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return static_cast<std::uint32_t>(found - names_.begin());
  names_.emplace_back(name);
  return static_cast<std::uint32_t>(names_.size() - 1);
}

std::uint32_t LinkLedger::link(std::string_view farther, std::string_view nearer, bool internal) {
  const auto found =
      std::ranges::find_if(links_, [&](const Link& l) { return l.farther == farther && l.nearer == nearer; });
  if (found != links_.end()) return static_cast<std::uint32_t>(found - links_.begin());
  links_.push_back({std::string{farther}, std::string{nearer}, internal});
  return static_cast<std::uint32_t>(links_.size() - 1);
}

void LinkLedger::count(const Access& access, const Hop& hop, const Runs& tlps, std::int64_t times) {
  auto& row = rows_[{hop.link, hop.up, access.requester, access.purpose}];
  const Bytes framing = links_[hop.link].internal ? Bytes{0} : link_framing;
  for (const auto& run : tlps) {
    const std::int64_t n = run.count * times;
    row.tlps += n;
    row.data += Bytes{4} * (run.first.data_dw * n);
    row.overhead += (Bytes{4} * (run.first.dw - run.first.data_dw) + framing) * n;
  }
}

void LinkLedger::add(const Access& access) {
  const auto requests = split_request(access.rules, access.op, access.address, access.bytes);
  for (const auto& hop : access.path) count(access, hop, requests, 1);
  if (request_class(access.op) != TlpClass::posted) {
    for (const auto& run : requests) {
      const auto answers = split_completion(access.rules, access.op, access.status, run.first.address, run.first.bytes);
      for (const auto& hop : access.path) count(access, {hop.link, !hop.up}, answers, run.count);
    }
  }
  auto& route = routes_[{
      access.requester, access.completer, access.op, access.purpose, {access.path.begin(), access.path.end()}}];
  ++route.accesses;
  if (access.status == Status::success)
    route.bytes += access.bytes;
  else
    ++route.failed;
}

void LinkLedger::reset() {
  rows_.clear();
  routes_.clear();
}

std::string LinkLedger::way(std::span<const Hop> path) const {
  std::string text;
  for (const auto& hop : path) {
    const auto& link = links_[hop.link];
    if (text.empty()) text = hop.up ? link.farther : link.nearer;
    text.append(" -> ").append(hop.up ? link.nearer : link.farther);
  }
  return text;
}

}  // namespace peerpath::pcie
