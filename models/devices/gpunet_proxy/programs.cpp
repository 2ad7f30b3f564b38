// Programs of the CPU at the other end of a GPU's sockets.
#include <algorithm>

#include "devices/gpunet_proxy/cores.hpp"

namespace peerpath::proxy {
namespace {

constexpr Bytes call_bytes{65536}, ahead{131072};  // validation/gpunet/run: of a send; of what is not back yet

}  // namespace

void Cores::add(const ClientPlan& plan, const device::SocketCosts& costs) {
  auto& client = *clients_.emplace_back(std::make_unique<Client>(Client{plan, costs, 0, {}, {}, {}, {}}));
  client.sent.resize(plan.out.size());
  client.got.resize(plan.out.size());
  auto& thread = threads_.emplace_back();
  for (const auto* lane : plan.out) thread.at_send[lane] = 0;
  for (const auto* lane : plan.in) thread.at_receive[lane] = 0;
  thread.visits.emplace_back([this, &client](Instant now, auto& out) { return converse(client, now, out); });
}

void Cores::add(const StorePlan& plan, const device::SocketCosts& costs) {
  auto& store = *stores_.emplace_back(std::make_unique<Store>(Store{plan, costs, {}, {}, 0}));
  store.got.resize(plan.in.size());
  store.owed.resize(plan.in.size());
  auto& thread = threads_.emplace_back();
  thread.round = costs.empty;  // epoll
  for (std::size_t n = 0; n < plan.in.size(); ++n) {
    thread.at_receive[plan.in[n]] = thread.at_send[plan.out[n]] = n;
    thread.visits.emplace_back([this, &store, n](Instant now, auto& out) { return answer(store, n, now, out); });
  }
}

/// One call: with one connection a part of the message and what is back of it in turn, so that it may be longer than
/// all buffers; with several, whole messages one after the other, then their answers.
Cores::Done Cores::converse(Client& self, Instant now, device::Outbox& out) {
  const auto connections = self.plan.out.size();
  if (self.size == Bytes{0}) {
    self.size = self.plan.sizes[self.round++ % self.plan.sizes.size()];
    self.wanted = self.plan.answer > Bytes{0} ? self.plan.answer : self.size;
    std::ranges::fill(self.sent, Bytes{0});
    std::ranges::fill(self.got, Bytes{0});
    for (auto* lane : self.plan.out) lane->track->begin(self.size, now);
  }
  const auto unsent = std::ranges::find_if(self.sent, [&](Bytes sent) { return sent < self.size; });
  Duration time{};
  if (unsent != self.sent.end()) {
    auto& lane = *self.plan.out[static_cast<std::size_t>(unsent - self.sent.begin())];
    const bool waits = connections == 1 && self.plan.answer == Bytes{0} && *unsent - self.got[0] >= ahead;
    const auto most = connections == 1 ? std::min(call_bytes, self.size - *unsent) : self.size - *unsent;
    if (!waits) {
      const auto some = send_some(lane, self.costs, most, time, now, out);
      *unsent += some;
      if (some > Bytes{0}) return {time, true};
      if (connections > 1) return {self.costs.empty, false};
    }
  }
  const auto missing = std::ranges::find_if(self.got, [&](Bytes got) { return got < self.wanted; });
  auto& lane = *self.plan.in[static_cast<std::size_t>(missing - self.got.begin())];
  const auto some = receive_some(lane, self.costs, self.wanted - *missing, time, now, out);
  if (some == Bytes{0}) return {self.costs.empty, false};
  *missing += some;
  const bool over = std::ranges::all_of(self.got, [&](Bytes got) { return got >= self.wanted; });
  if (over) {
    self.size = Bytes{0};
    for (auto* back : self.plan.in) back->track->reach(back->stamps.taken, now + time);
  }
  return {time, true};
}

Cores::Done Cores::answer(Store& self, std::size_t n, Instant now, device::Outbox& out) {
  Duration receiving{}, sending{};
  if (self.owed[n] == Bytes{0}) {
    const auto some = receive_some(*self.plan.in[n], self.costs, self.plan.request - self.got[n], receiving, now, out);
    if (some == Bytes{0}) return {Duration{20'000'000}, false};
    self.got[n] += some;
    if (self.got[n] < self.plan.request) return {receiving, true};
    self.got[n] = Bytes{0};
    self.owed[n] = self.plan.sizes[self.answers++ % self.plan.sizes.size()];
  }
  const auto some = send_some(*self.plan.out[n], self.costs, self.owed[n], sending, now + receiving, out);
  self.owed[n] -= some;
  return {receiving + sending, some > Bytes{0} || receiving > Duration{0}};
}

}  // namespace peerpath::proxy
