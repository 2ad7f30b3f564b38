#include "flows/channels.hpp"

#include <algorithm>

#include "peerpath/net/ethernet.hpp"
#include "transport/roce/flow_hash.hpp"
#include "transport/roce/frame.hpp"

namespace peerpath::flows {
namespace {

constexpr LinkIndex none = ~LinkIndex{0};

Bytes frame_of(Bytes payload) {
  roce::Packet packet;
  packet.opcode = opcode(roce::Service::reliable_connection, roce::Operation::write_middle);
  packet.length = static_cast<std::uint32_t>(payload.count());
  return Bytes{static_cast<std::int64_t>(roce::frame_size(packet))};
}

/// A message's packets on the wire, with all headers and gaps.
Bytes on_wire(Bytes message, Bytes mtu) {
  const auto full = message / mtu;
  const Bytes last = message - mtu * full;
  auto bytes = net::wire_size(frame_of(mtu)) * full;
  if (last > Bytes{} || full == 0) bytes += net::wire_size(frame_of(last));
  return bytes;
}

/// The rate of the wire at which frames with headers come at `frames`.
BitRate wire_rate(BitRate frames, Bytes mtu) {
  const auto frame = frame_of(mtu);
  return BitRate{
      static_cast<std::int64_t>(static_cast<WideInt>(frames.bps()) * net::wire_size(frame).count() / frame.count())};
}

}  // namespace

std::unique_ptr<Channels> Channels::make(const network::Graph& graph, const ChannelConfig& config) {
  std::unique_ptr<Channels> channels{new Channels{graph, config}};
  return channels->open() ? std::move(channels) : nullptr;
}

Channels::Channels(const network::Graph& graph, const ChannelConfig& config)
    : graph_{graph},
      config_{config},
      down_(graph.cables.size()),
      routes_{graph},
      drain_(graph.hosts.size(), none),
      fetch_(graph.hosts.size(), none),
      sent_(2 * graph.cables.size()) {
  for (const auto& cable : graph.cables) links_.insert(links_.end(), 2, cable.rate);
  const auto limit = [this](const std::vector<BitRate>& rates, std::vector<LinkIndex>& of_host) {
    for (std::size_t h = 0; h < rates.size(); ++h) {
      if (rates[h] == BitRate{}) continue;
      of_host[h] = static_cast<LinkIndex>(links_.size());
      links_.push_back(wire_rate(rates[h], Bytes{config_.mtu}));
    }
  };
  limit(config_.drain, drain_);
  limit(config_.fetch, fetch_);
}

bool Channels::open() {
  network_ = make_flow_network(links_);
  if (!network_) return false;
  network_->ended = [this](FlowIndex flow, Instant now) { ended(flow, now); };
  network_->woken = [this](std::uint64_t detail, Instant now) { woken(detail, now); };
  return true;
}

ChannelIndex Channels::reserve(std::size_t channels) {
  const auto first = static_cast<ChannelIndex>(channels_.size());
  channels_.resize(channels_.size() + 2 * channels);
  return first;
}

void Channels::open(ChannelIndex first, HostIndex a, HostIndex b) {
  for (const auto side : {0u, 1u}) {
    channels_[first + side].from = side == 0 ? a : b;
    channels_[first + side].to = side == 0 ? b : a;
    find_way(first + side);
  }
}

ChannelIndex Channels::connect(HostIndex a, HostIndex b) {
  const auto first = reserve(1);
  open(first, a, b);
  return first;
}

/// As switches choose it for the packets of the queue pair of that number.
void Channels::find_way(ChannelIndex number) {
  auto& channel = channels_[number];
  channel.way.clear();
  channel.there = channel.back = Duration{};
  network::Packet packet;
  packet.flow_hash = roce::flow_hash(channel.from, channel.to, number & ~ChannelIndex{1}, config_.port_by_qp);
  packet.destination_qp = number ^ 1;
  const auto frame = net::wire_size(frame_of(Bytes{config_.mtu})), small = net::wire_size(frame_of(Bytes{}));
  const auto end = graph_.hosts[channel.to];
  std::uint32_t turn = 0;
  for (auto at = graph_.hosts[channel.from]; at != end;) {
    const auto ports = routes_.towards(at, channel.to);
    if (ports.empty()) return channel.way.clear();
    const auto port = choose(config_.path, ports, packet, at, routes_.place(channel.to), mix(config_.seed), turn);
    const auto& cable = graph_.cables[port / 2];
    const bool first = channel.way.empty();
    channel.there += cable.delay + (first ? Duration{} : config_.switch_latency + frame / cable.rate);
    channel.back += cable.delay + small / cable.rate + (first ? Duration{} : config_.switch_latency);
    channel.way.push_back(port);
    at = graph_.node_of(network::Graph::peer(port));
  }
  channel.ports = channel.way.size();
  if (fetch_[channel.from] != none) channel.way.push_back(fetch_[channel.from]);
  if (drain_[channel.to] != none) channel.way.push_back(drain_[channel.to]);
  if (channel.to < config_.latency.size()) channel.there += config_.latency[channel.to];
}

void Channels::post(ChannelIndex number, Bytes bytes, std::uint32_t message, Instant now) {
  auto& channel = channels_[number];
  channel.waiting.push({on_wire(bytes, Bytes{config_.mtu}), message, now});
  if (channel.waiting.size() > 1) return;
  channel.left = channel.waiting.front().wire;
  start(number);
}

collective::Carrier Channels::carrier() {
  return {.reserve = [this](std::size_t channels) { return reserve(channels); },
          .open = [this](ChannelIndex channel, HostIndex a, HostIndex b, bool) { open(channel, a, b); },
          .post = [this](ChannelIndex channel, Bytes bytes, std::uint32_t number,
                         Instant now) { post(channel, bytes, number, now); },
          .owns = [](HostIndex) { return true; }};
}

bool Channels::is_whole(const Channel& channel) const {
  return channel.ports > 0 &&
         std::none_of(channel.way.begin(), channel.way.begin() + static_cast<std::ptrdiff_t>(channel.ports),
                      [this](LinkIndex port) { return down_[port / 2]; });
}

void Channels::start(ChannelIndex number) {
  auto& channel = channels_[number];
  if (!is_whole(channel)) return;
  channel.flows = true;
  network_->start(number, channel.way, std::max(channel.left, Bytes{1}));
}

void Channels::ended(ChannelIndex number, Instant now) {
  auto& channel = channels_[number];
  channel.flows = false;
  const auto message = channel.waiting.front();
  channel.waiting.pop();
  for (std::size_t i = 0; i < channel.ports; ++i) sent_[channel.way[i]] += message.wire.count();
  channel.coming.push(message.number);
  network_->wake(now + channel.there, std::uint64_t{number} << 2 | delivered);
  if (completed) {
    channel.unheard.push(message);
    network_->wake(now + channel.there + channel.back, std::uint64_t{number} << 2 | heard);
  }
  if (channel.waiting.empty()) return;
  channel.left = channel.waiting.front().wire;
  start(number);
}

void Channels::woken(std::uint64_t detail, Instant now) {
  const auto number = detail >> 2;
  switch (static_cast<Alarm>(detail & 3)) {
    case delivered: {
      auto& coming = channels_[number].coming;
      const auto message = coming.front();
      coming.pop();
      return arrived(static_cast<ChannelIndex>(number ^ 1), message, now);
    }
    case heard: {
      auto& unheard = channels_[number].unheard;
      const auto message = unheard.front();
      unheard.pop();
      return completed(static_cast<ChannelIndex>(number), message.number, message.posted, now);
    }
    case app:
      return alarm(number, now);
  }
}

void Channels::set_cable(network::CableIndex cable, bool up) {
  down_[cable] = !up;
  for (ChannelIndex c = 0; c < channels_.size(); ++c) {
    auto& channel = channels_[c];
    if (channel.flows && !is_whole(channel)) {
      channel.flows = false;
      channel.left = network_->stop(c);
    } else if (up && !channel.flows && !channel.waiting.empty()) {
      start(c);
    }
  }
}

void Channels::reroute() {
  routes_ = network::Routes{graph_, down_};
  for (ChannelIndex c = 0; c < channels_.size(); ++c) {
    auto& channel = channels_[c];
    if (channel.flows) channel.left = network_->stop(c);
    channel.flows = false;
    find_way(c);
    if (!channel.waiting.empty()) start(c);
  }
}

}  // namespace peerpath::flows
