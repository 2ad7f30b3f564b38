#include "devices/gpunet_proxy/cores.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::proxy {

void Cores::add(const ProxyPlan& plan, std::optional<Bell> bell) {
  const auto number = proxies_.size();
  proxies_.push_back({plan, bell, {}, way_.tcp ? plan.config.tcp : plan.config.local});
  const auto threads = static_cast<std::size_t>(plan.config.threads);
  const auto each = (std::max(plan.out.size(), plan.in.size()) + threads - 1) / threads;
  const bool epoll = each > static_cast<std::size_t>(plan.config.directly);
  const auto first = threads_.size();
  threads_.resize(first + threads);
  const auto index = [this](const Lane* lane) {
    return static_cast<std::size_t>(std::ranges::find(lanes_, lane) - lanes_.begin());
  };
  for (std::size_t n = 0; n < std::max(plan.out.size(), plan.in.size()); ++n) {
    auto& thread = threads_[first + n % threads];
    thread.round = plan.config.sweep + (epoll && !way_.rdma ? proxies_[number].costs.empty : Duration{});
    if (n < plan.out.size()) {
      auto* lane = plan.out[n];
      thread.at_send[lane] = thread.visits.size();
      if (way_.rdma)
        thread.visits.emplace_back(
            [=, this, at = index(lane)](Instant now, auto& out) { return post(number, at, now, out); });
      else
        thread.visits.emplace_back([=, this](Instant now, auto& out) { return send(number, *lane, now, out); });
    }
    if (n < plan.in.size()) {
      auto* lane = plan.in[n];
      thread.at_receive[lane] = thread.visits.size();
      if (way_.rdma)
        thread.visits.emplace_back([=, this](Instant now, auto&) { return complete(number, *lane, now); });
      else
        thread.visits.emplace_back(
            [=, this](Instant now, auto& out) { return receive(number, *lane, epoll, now, out); });
    }
  }
}

void Cores::start(device::Outbox& out) {
  for (std::size_t n = 0; n < threads_.size(); ++n)
    at(Instant{}, out, [this, n](Instant now, auto& to) { go_on(n, now, to); });
}

void Cores::at(Instant when, device::Outbox& out, std::function<void(Instant, device::Outbox&)> act) {
  agenda_.push({when, order_++, std::move(act)});
  out.wake_at(device::TimerId{0}, agenda_.top().when);
}

void Cores::on_wake(device::TimerId, Instant now, device::Outbox& out) {
  while (!agenda_.empty() && agenda_.top().when <= now) {
    const auto due = agenda_.top();
    agenda_.pop();
    due.act(now, out);
  }
  out.wake_at(device::TimerId{0}, agenda_.empty() ? never : agenda_.top().when);
}

void Cores::go_on(std::size_t number, Instant now, device::Outbox& out) {
  auto& thread = threads_[number];
  if (thread.visits.empty()) return;
  const auto again = [this, number](Instant then, auto& to) { go_on(number, then, to); };
  if (thread.next < thread.visits.size()) {
    const auto done = thread.visits[thread.next++](now, out);
    thread.worked = thread.worked || done.worked;
    return at(now + done.time, out, again);
  }
  thread.next = 0;
  const auto end = now + thread.round;
  if (!thread.worked) {
    thread.idle_round = std::max(end - thread.began, Duration{1'000'000});
    thread.asleep = true;
    thread.asleep_since = end;
    return;
  }
  thread.worked = false;
  thread.began = end;
  at(end, out, again);
}

void Cores::poke(const Lane* lane, bool to_send, Instant when, device::Outbox& out) {
  at(when, out, [this, lane, to_send](Instant now, auto& to) {
    for (std::size_t n = 0; n < threads_.size(); ++n) {
      auto& thread = threads_[n];
      const auto& visits = to_send ? thread.at_send : thread.at_receive;
      const auto found = visits.find(lane);
      if (found == visits.end()) continue;
      if (!thread.asleep) {
        thread.worked = true;  // another round
        continue;
      }
      const auto offset = thread.idle_round * static_cast<std::int64_t>(found->second) /
                          static_cast<std::int64_t>(thread.visits.size());
      const auto late = std::max(now - thread.asleep_since - offset, Duration{0});
      const auto rounds = (late + thread.idle_round - Duration{1}) / thread.idle_round;
      const auto then = std::max(now, thread.asleep_since + offset + thread.idle_round * rounds);
      thread.asleep = false;
      thread.next = found->second;
      thread.began = then - offset;
      at(then, to, [this, n](Instant t, auto& o) { go_on(n, t, o); });
    }
  });
}

void Cores::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  if (delivery.kind != fabric::DeliveryKind::arrived) return;
  const auto word = Word::unpack(delivery.cookie);
  require(word.lane < lanes_.size(), "a message refers to no lane");
  auto& lane = *lanes_[word.lane];
  const auto now = delivery.done;
  const auto take = [](std::deque<Bytes>& from) {
    const auto size = from.front();
    from.pop_front();
    return size;
  };
  switch (word.what) {
    case Word::What::entry: {
      const auto size = take(lane.storing);
      lane.out.push_back({size, now});
      lane.pass(lane.stamps.stored, size, now);
      return poke(&lane, true, now, out);
    }
    case Word::What::taken:
      lane.in_used -= lane.telling.front().bytes;
      lane.in_entries -= lane.telling.front().entries;
      lane.telling.pop_front();
      return poke(&lane, way_.rdma, now, out);
    case Word::What::completion:
      lane.landed.push_back(take(lane.landing));
      return poke(&lane, false, now, out);
    case Word::What::sent: {
      const auto size = take(lane.acked);
      lane.out_used -= size;
      lane.wire_used -= size;
      return poke(&lane, true, now, out);
    }
  }
}

}  // namespace peerpath::proxy
