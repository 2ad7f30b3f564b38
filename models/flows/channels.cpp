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

Channels::Channels(const network::Graph& graph, const ChannelConfig& config)
    : graph_{graph},
      config_{config},
      down_(graph.cables.size()),
      routes_{graph},
      drain_(graph.hosts.size(), none),
      fetch_(graph.hosts.size(), none),
      links_{rates()} {
  links_.ended = [this](FlowIndex flow, Instant now) { ended(flow, now); };
  links_.woken = [this](std::uint64_t detail, Instant now) { woken(detail, now); };
}

/// Of ports, and behind them of hosts with a limit.
std::vector<BitRate> Channels::rates() {
  std::vector<BitRate> rates;
  for (const auto& cable : graph_.cables) rates.insert(rates.end(), 2, cable.rate);
  const auto limit = [&](const std::vector<BitRate>& of, std::vector<LinkIndex>& of_host) {
    for (std::size_t h = 0; h < of.size(); ++h) {
      if (of[h] == BitRate{}) continue;
      of_host[h] = static_cast<LinkIndex>(rates.size());
      rates.push_back(wire_rate(of[h], Bytes{config_.mtu}));
    }
  };
  limit(config_.drain, drain_);
  limit(config_.fetch, fetch_);
  return rates;
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
  channel.ports = 0;
  channel.there = channel.back = channel.queue = Duration{};
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
    if (!first) channel.queue += frame / cable.rate * config_.queued;
    channel.back += cable.delay + small / cable.rate + (first ? Duration{} : config_.switch_latency);
    channel.way.push_back(port);
    at = graph_.node_of(network::Graph::peer(port));
  }
  channel.ports = channel.way.size();
  if (fetch_[channel.from] != none) channel.way.push_back(fetch_[channel.from]);
  if (drain_[channel.to] != none) channel.way.push_back(drain_[channel.to]);
  if (channel.to < config_.latency.size()) channel.there += config_.latency[channel.to];
  if (channel.way.size() <= channel.numbers) return;
  channel.first = static_cast<FlowIndex>(owners_.size());
  channel.numbers = channel.way.size();
  owners_.resize(owners_.size() + channel.numbers, number);
}

void Channels::post(ChannelIndex number, Bytes bytes, std::uint32_t message, Instant now) {
  auto& channel = channels_[number];
  channel.waiting.push({bytes, on_wire(bytes, Bytes{config_.mtu}), message, now});
  if (channel.waiting.size() == 1) begin(number);
}

collective::Carrier Channels::carrier() {
  return {.reserve = [this](std::size_t channels) { return reserve(channels); },
          .open = [this](ChannelIndex channel, HostIndex a, HostIndex b, bool) { open(channel, a, b); },
          .post = [this](ChannelIndex channel, Bytes bytes, std::uint32_t number,
                         Instant now) { post(channel, bytes, number, now); },
          .rest = {},
          .owns = [](HostIndex) { return true; }};
}

bool Channels::is_whole(const Channel& channel) const {
  return channel.ports > 0 &&
         std::none_of(channel.way.begin(), channel.way.begin() + static_cast<std::ptrdiff_t>(channel.ports),
                      [this](LinkIndex port) { return down_[port / 2]; });
}

/// The next message, from its first bit on.
void Channels::begin(ChannelIndex number) {
  auto& channel = channels_[number];
  channel.unsent = channel.waiting.front().wire;
  channel.left.assign(channel.way.size(), channel.unsent);
  start(number);
}

/// What is left of the message.
void Channels::start(ChannelIndex number) {
  auto& channel = channels_[number];
  if (!is_whole(channel)) return;
  for (std::size_t i = 0; i < channel.way.size(); ++i) {
    if (channel.left[i] == Bytes{}) continue;
    ++channel.flowing;
    links_.start(static_cast<FlowIndex>(channel.first + i), channel.way[i], channel.left[i]);
    channel.left[i] = Bytes{};
  }
}

void Channels::stop(ChannelIndex number) {
  auto& channel = channels_[number];
  for (std::size_t i = 0; i < channel.way.size() && channel.flowing > 0; ++i) {
    const auto flow = static_cast<FlowIndex>(channel.first + i);
    if (!links_.flows(flow)) continue;
    channel.left[i] = std::max(links_.stop(flow), Bytes{1});
    --channel.flowing;
  }
}

void Channels::ended(FlowIndex flow, Instant now) {
  const auto number = owners_[flow];
  auto& channel = channels_[number];
  if (--channel.flowing > 0) return;
  const auto message = channel.waiting.front();
  channel.waiting.pop();
  channel.delivered += message.payload;
  channel.coming.push(message.number);
  channel.unheard.push(message);
  const auto there = on_way(number);
  links_.wake(now + there, std::uint64_t{number} << 2 | delivered);
  links_.wake(now + there + channel.back, std::uint64_t{number} << 2 | heard);
  if (!channel.waiting.empty()) begin(number);
}

/// Bytes of the current message that link `link` of its path has not carried yet.
Bytes Channels::left(const Channel& channel, std::size_t link, Instant now) const {
  const auto flow = static_cast<FlowIndex>(channel.first + link);
  return links_.flows(flow) ? links_.left(flow, now) : channel.left[link];
}

Bytes Channels::carried(ChannelIndex number, Instant now) const {
  const auto& channel = channels_[number];
  if (channel.waiting.empty() || channel.ports == 0) return channel.delivered;
  const auto& message = channel.waiting.front();
  Bytes left{};  // of the slowest link
  for (std::size_t i = 0; i < channel.way.size(); ++i) left = std::max(left, this->left(channel, i, now));
  const auto crossed = static_cast<WideInt>((message.wire - left).count()) * message.payload.count();
  return channel.delivered + Bytes{static_cast<std::int64_t>(crossed / message.wire.count())};
}

std::vector<Duration> Channels::busy(Instant now) const {
  std::vector<Duration> busy;
  for (network::PortIndex port = 0; port < 2 * graph_.cables.size(); ++port) busy.push_back(links_.busy(port, now));
  return busy;
}

/// Of the last packet of a message.
Duration Channels::on_way(ChannelIndex number) {
  auto& channel = channels_[number];
  const auto share = mix(mix(config_.seed) + (std::uint64_t{number} << 32 | channel.count++)) >> 44;  // of 2^20
  return channel.there + channel.queue * static_cast<std::int64_t>(share) / (std::int64_t{1} << 20);
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
    if (channel.flowing > 0 && !is_whole(channel))
      stop(c);
    else if (up && channel.flowing == 0 && !channel.waiting.empty())
      start(c);
  }
}

void Channels::reroute() {
  routes_ = network::Routes{graph_, down_};
  for (ChannelIndex c = 0; c < channels_.size(); ++c) {
    auto& channel = channels_[c];
    stop(c);
    if (channel.waiting.empty()) {
      find_way(c);
      continue;
    }
    if (!channel.left.empty()) channel.unsent = *std::ranges::max_element(channel.left);
    find_way(c);
    channel.left.assign(channel.way.size(), channel.unsent);
    start(c);
  }
}

}  // namespace peerpath::flows
