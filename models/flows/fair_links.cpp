#include "flows/fair_links.hpp"

#include <algorithm>

namespace peerpath::flows {
namespace {

constexpr std::int64_t unit = 1 << 16;  ///< of a bit
constexpr std::int64_t second = 1'000'000'000'000'000;

}  // namespace

FairLinks::FairLinks(std::span<const BitRate> rates) : links_(rates.size()) {
  for (std::size_t i = 0; i < rates.size(); ++i) links_[i].rate = rates[i];
}

std::int64_t FairLinks::share_at(const Link& link, Instant when) {
  if (link.flows.empty()) return 0;
  return link.share + narrow(static_cast<WideInt>(link.rate.bps()) * (when - link.updated).count() * unit / second /
                             static_cast<std::int64_t>(link.flows.size()));
}

void FairLinks::update(Link& link) {
  link.share = share_at(link, now_);
  if (!link.flows.empty()) link.busy += now_ - link.updated;
  link.updated = now_;
}

/// The event of the flow that ends first; an earlier plan no longer holds.
void FairLinks::plan(LinkIndex number) {
  auto& link = links_[number];
  ++link.generation;
  if (link.flows.empty()) return;
  const auto left = std::max<std::int64_t>(link.flows.begin()->first - link.share, 0);
  const auto bits = static_cast<WideInt>(left) * static_cast<std::int64_t>(link.flows.size()) * second;
  const auto rate = static_cast<WideInt>(link.rate.bps()) * unit;
  push(now_ + Duration{narrow((bits + rate - 1) / rate)}, completes, std::uint64_t{link.generation} << 32 | number);
}

void FairLinks::start(FlowIndex flow, LinkIndex number, Bytes bytes) {
  if (flows_.size() <= flow) flows_.resize(flow + 1);
  auto& link = links_[number];
  update(link);
  flows_[flow] = {number, link.share + bytes.count() * 8 * unit};
  link.flows.emplace(flows_[flow].end, flow);
  plan(number);
}

Bytes FairLinks::left(FlowIndex flow, Instant when) const {
  const auto [number, end] = flows_[flow];
  return Bytes{std::max<std::int64_t>(end - share_at(links_[number], when), 0) / (8 * unit)};
}

Duration FairLinks::busy(LinkIndex number, Instant when) const {
  const auto& link = links_[number];
  return link.busy + (link.flows.empty() ? Duration{} : when - link.updated);
}

Bytes FairLinks::stop(FlowIndex flow) {
  const auto [number, end] = std::exchange(flows_[flow], Flow{});
  auto& link = links_[number];
  update(link);
  link.flows.erase({end, flow});
  plan(number);
  return Bytes{std::max<std::int64_t>(end - link.share, 0) / (8 * unit)};
}

void FairLinks::complete(LinkIndex number) {
  auto& link = links_[number];
  update(link);
  // The rounding of shares lies far below a bit.
  const auto reached = std::max(link.flows.begin()->first, link.share) + unit / 2;
  std::vector<FlowIndex> over;
  while (!link.flows.empty() && link.flows.begin()->first <= reached) {
    over.push_back(link.flows.begin()->second);
    link.flows.erase(link.flows.begin());
  }
  plan(number);
  for (const auto flow : over) flows_[flow].link = none;
  for (const auto flow : over) ended(flow, now_);
}

void FairLinks::run(Instant until) {
  while (!events_.empty() && events_.top().when <= until) {
    const auto event = events_.top();
    events_.pop();
    now_ = event.when;
    const auto link = static_cast<LinkIndex>(event.detail);
    if (event.kind == wakes)
      woken(event.detail, now_);
    else if (event.detail >> 32 == links_[link].generation)
      complete(link);
  }
}

}  // namespace peerpath::flows
