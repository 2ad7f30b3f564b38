#include "collective/server_links.hpp"

#include <algorithm>

namespace peerpath::collective {

ServerLinks::ServerLinks(const ServerConfig& config, std::size_t hosts, std::size_t owners, Wake wake)
    : config_{config}, wake_{std::move(wake)} {
  if (!are_there()) return;
  ports_.resize(hosts);
  uses_.resize(owners);
  for (auto& use : uses_) {
    use.inside.resize(hosts);
    use.between.resize(hosts);
  }
}

Carrier ServerLinks::carrier(std::size_t owner, Carrier outside) {
  if (!are_there()) return outside;
  auto inner = outside;
  outside.open = [this, owner, open = inner.open](ChannelIndex channel, HostIndex a, HostIndex b, bool urgent) {
    auto& c = at(channel);
    c.a = a;
    c.b = b;
    c.owner = static_cast<std::uint32_t>(owner);
    c.inside = are_together(a, b);
    if (!c.inside) open(channel, a, b, urgent);
  };
  outside.post = [this, post = inner.post](ChannelIndex channel, Bytes bytes, std::uint32_t number, Instant now) {
    begin(channel, now);
    if (at(channel).inside) return this->post(channel, bytes, number, now);
    post(channel, bytes, number, now);
  };
  if (inner.rest)
    outside.rest = [this, rest = inner.rest](ChannelIndex end) {
      if (!at(end).inside) rest(end);
    };
  return outside;
}

ServerLinks::Channel& ServerLinks::at(ChannelIndex channel) {
  if (channels_.size() <= channel / 2) channels_.resize(channel / 2 + 1);
  return channels_[channel / 2];
}

void ServerLinks::post(ChannelIndex channel, Bytes bytes, std::uint32_t number, Instant now) {
  const auto host = sender(channel);
  auto& port = ports_[host];
  auto& waiting = port.waiting;
  const bool idle = waiting.empty();
  const bool interrupts = !idle && number < waiting.front().number && now < port.out;
  if (interrupts) {
    waiting.front().left = port.out - now;
    ports_[sender(waiting.front().channel ^ 1)].in -= port.out - now;
  }
  waiting.push({channel, bytes / config_.rate, number});
  for (auto i = waiting.size() - 1; i > (interrupts ? 0u : 1u) && number < waiting[i - 1].number; --i)
    std::swap(waiting[i], waiting[i - 1]);
  if (idle || interrupts) send(host, now);
}

/// The first that waits.
void ServerLinks::send(HostIndex host, Instant now) {
  auto& port = ports_[host];
  const auto& message = port.waiting.front();
  auto& in = ports_[sender(message.channel ^ 1)].in;
  port.out = now + message.left;
  in = std::max(now + config_.latency, in) + message.left;
  port.arrival = in;
  wake_(port.out, host * alarms + port_free);
}

void ServerLinks::sent(HostIndex host, Instant now) {
  auto& port = ports_[host];
  const auto message = port.waiting.front();
  port.waiting.pop();
  auto& way = at(message.channel).ways[message.channel % 2];
  // What another sender took back at the receiver's port may have let it in before the one in front of it.
  way.last = std::max(way.last, port.arrival);
  way.coming.push(message.number);
  way.unheard.push(message.number);
  wake_(way.last, message.channel * alarms + has_arrived);
  wake_(way.last + config_.latency, message.channel * alarms + is_heard);
  if (!port.waiting.empty()) send(host, now);
}

void ServerLinks::timed(std::size_t number, Instant now) {
  const auto what = static_cast<Alarm>(number % alarms);
  if (what == port_free) {
    const auto host = static_cast<HostIndex>(number / alarms);
    const auto& port = ports_[host];
    // Else the message was interrupted.
    if (!port.waiting.empty() && port.out == now) sent(host, now);
    return;
  }
  const auto channel = static_cast<ChannelIndex>(number / alarms);
  auto& way = at(channel).ways[channel % 2];
  auto& waiting = what == has_arrived ? way.coming : way.unheard;
  const auto message = waiting.front();
  waiting.pop();
  if (what == has_arrived) return arrived(channel ^ 1, message, now);
  end(channel, now);
  acknowledged(channel, message, now);
}

void ServerLinks::heard(ChannelIndex channel, Instant now) {
  if (are_there()) end(channel, now);
}

ServerLinks::Under& ServerLinks::under(const Channel& channel, bool far_end) {
  auto& use = uses_[channel.owner];
  return (channel.inside ? use.inside : use.between)[far_end ? channel.b : channel.a];
}

void ServerLinks::begin(ChannelIndex channel, Instant now) {
  auto& u = under(at(channel), channel % 2 != 0);
  if (u.count++ == 0) u.since = now;
}

void ServerLinks::end(ChannelIndex channel, Instant now) {
  const auto& c = at(channel);
  auto& u = under(c, channel % 2 != 0);
  if (--u.count > 0) return;
  auto& sum = uses_[c.owner].sum;
  (c.inside ? sum.inside : sum.between) += now - u.since;
}

}  // namespace peerpath::collective
