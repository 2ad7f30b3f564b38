#include "platform/network/node.hpp"

#include <algorithm>

#include "peerpath/net/ethernet.hpp"
#include "platform/network/host_probe.hpp"
#include "scenario/network/names.hpp"
#include "transport/roce/frame.hpp"
#include "transport/tcp/segment.hpp"

namespace peerpath::network_run {
namespace {

using observe::Decimal;
using observe::quotient;

std::int64_t bps_of(const Decimal& gbps) {
  std::int64_t bps = gbps.digits;
  for (int place = gbps.places; place < 9; ++place) bps *= 10;
  for (int place = 9; place < gbps.places; ++place) bps /= 10;
  return bps;
}

Decimal gbps_of(std::int64_t bps) { return quotient(bps, 1'000'000'000, 3); }

std::int64_t share(std::int64_t value, std::int64_t part, std::int64_t of) {
  return static_cast<std::int64_t>(static_cast<WideInt>(value) * part / std::max<std::int64_t>(of, 1));
}

/// The distance of `model` from what was found, of the latter.
Decimal percent_off(std::int64_t model, std::int64_t found) {
  return quotient(static_cast<WideInt>(model > found ? model - found : found - model) * 100,
                  std::max<std::int64_t>(found, 1), 2);
}

Decimal larger(const Decimal& a, const Decimal& b) { return a.value() < b.value() ? b : a; }

constexpr Bytes message{64 << 10};

/// Fits one host.
class Fitting {
 public:
  Fitting(const scenario::Loaded& node, BitRate line, const PacketShape& packet)
      : node_{node}, packet_{packet}, payload_{packet.payload}, frame_{net::wire_size(packet.frame)}, line_{line} {}

  tl::expected<NodeFit, Problems> fit() {
    const auto line = line_.bps();
    const auto full = run(line, line), in = run(line, 0), out = run(0, line);
    if (!problems_.empty()) return tl::unexpected{std::move(problems_)};
    const auto able = frames(std::min(bps_of(full.goodput_gbps), bps_of(full.sent_gbps)));
    fit_.latency = fit_.latency_beside = run(line / 10, 0).latency;
    fit_.send_latency = fit_.send_latency_beside = messages(0).first_latency;
    for (const int percent : {50, 90}) {
      const auto part = run(able / 100 * percent, able / 100 * percent);
      error(bps_of(part.offered_gbps), bps_of(part.goodput_gbps));
      error(bps_of(part.to_send_gbps), bps_of(part.sent_gbps));
      if (percent == 50) fit_.latency_error_percent = percent_off(fit_.latency.count(), part.latency.count());
    }
    if (is_limited(full.goodput_gbps) || is_limited(full.sent_gbps) || is_limited(in.goodput_gbps) ||
        is_limited(out.sent_gbps))
      limits(full, in, out);
    return fit_;
  }

 private:
  std::int64_t wire() const { return share(line_.bps(), payload_.count(), frame_.count()); }
  /// The rate of frames on the wire with so much payload.
  std::int64_t frames(std::int64_t payload) const { return share(payload, frame_.count(), payload_.count()); }
  /// What is carried but for a half of a percent is not limited.
  bool is_limited(const Decimal& carried) const { return wire() - bps_of(carried) > wire() / 200; }

  /// Messages with pauses, beside so much that arrives.
  WireRates messages(std::int64_t receive) {
    auto found = probe(node_, {payload_, frame_, BitRate{receive}, line_, message});
    if (found) return std::move(*found);
    if (problems_.empty()) problems_ = found.error();
    return {};
  }

  NodePoint run(std::int64_t receive, std::int64_t transmit) {
    const auto found = probe(node_, {payload_, frame_, BitRate{receive}, BitRate{transmit}});
    if (!found) {
      if (problems_.empty()) problems_ = found.error();
      return {};
    }
    const auto payload_rate = [&](std::int64_t frames) {
      return gbps_of(share(frames, payload_.count(), frame_.count()));
    };
    if (fit_.points.empty()) fit_.bottleneck = found->limit.sentence;
    fit_.transmit_buffer = found->transmit_buffer;
    fit_.points.push_back({payload_rate(receive), found->received_gbps, payload_rate(transmit), found->sent_gbps,
                           found->receive_latency, found->send_latency});
    return fit_.points.back();
  }

  void limits(const NodePoint& full, const NodePoint& in, const NodePoint& out) {
    const BitRate all{share(line_.bps(), payload_.count(), packet_.frame.count())};
    const auto rate = [&](const Decimal& carried) { return is_limited(carried) ? BitRate{bps_of(carried)} : all; };
    fit_.receive = rate(in.goodput_gbps);
    fit_.transmit = rate(out.sent_gbps);
    fit_.receive_beside = rate(full.goodput_gbps);
    fit_.transmit_beside = rate(full.sent_gbps);
    const auto line = line_.bps();
    // Where one way has nearly what it can, and no backlog: what the other lacks, both share.
    const auto near = run(frames(bps_of(full.goodput_gbps)) / 100 * 95, line);
    const auto lacks = bps_of(out.sent_gbps) - bps_of(near.sent_gbps);
    const auto both = bps_of(near.goodput_gbps) + bps_of(near.sent_gbps);
    if (lacks > bps_of(out.sent_gbps) / 100) fit_.together = BitRate{both};
    const auto bursts = messages(line);
    fit_.send_latency_beside = bursts.first_latency;
    fit_.transmit_burst = bursts.message_rate;
    const auto alone = bps_of(in.goodput_gbps), lost = alone - bps_of(bursts.received_gbps);
    if (lost > alone / 1000) fit_.burst_toll = BitRate{share(alone, bps_of(bursts.sent_gbps), lost)};
    fit_.latency_beside = run(line / 10, line).latency;
    const auto half = run(line, frames(bps_of(full.sent_gbps)) / 2);
    auto model = bps_of(in.goodput_gbps);
    if (fit_.together != BitRate{}) model = std::min(model, both - bps_of(half.sent_gbps));
    error(model, bps_of(half.goodput_gbps));
  }

  void error(std::int64_t model, std::int64_t found) {
    fit_.rate_error_percent = larger(fit_.rate_error_percent, percent_off(model, found));
  }

  const scenario::Loaded& node_;
  PacketShape packet_;
  Bytes payload_, frame_;
  BitRate line_;
  NodeFit fit_;
  Problems problems_;
};

}  // namespace

PacketShape packet_of(const network_scenario::NetworkScenario& scenario) {
  if (!scenario.tcp.empty()) {
    tcp::Segment segment;
    segment.timestamps = scenario.tcp_stack.timestamps;
    segment.length = scenario.tcp_stack.mss();
    return {Bytes{segment.length}, Bytes{tcp::frame_size(segment)}};
  }
  roce::Packet packet;
  packet.opcode = opcode(roce::Service::reliable_connection, roce::Operation::write_middle);
  packet.length = static_cast<std::uint32_t>(scenario.nics.mtu);
  return {Bytes{packet.length}, Bytes{static_cast<std::int64_t>(roce::frame_size(packet))}};
}

BitRate with_headers(BitRate payload, const PacketShape& packet) {
  return BitRate{share(payload.bps(), packet.frame.count(), packet.payload.count())};
}

BitRate without_headers(BitRate frames, const PacketShape& packet) {
  return BitRate{share(frames.bps(), packet.payload.count(), packet.frame.count())};
}

tl::expected<NodeFit, Problems> fit_node(const scenario::Loaded& node, BitRate line, const PacketShape& packet) {
  return Fitting{node, line, packet}.fit();
}

tl::expected<std::vector<NodeFit>, Problems> fit_nodes(const network_scenario::Loaded& loaded, bool simulated) {
  std::vector<NodeFit> fits;
  for (std::size_t i = 0; i < loaded.nodes.size(); ++i) {
    const auto& entry = loaded.scenario.nodes[i];
    if (simulated && entry.level == network_scenario::Level::tlp) {
      fits.emplace_back();
      continue;
    }
    const auto host = network_scenario::hosts_of(loaded.graph, entry.hosts).front();
    auto fit =
        fit_node(loaded.nodes[i], network_scenario::rate_of_host(loaded.graph, host), packet_of(loaded.scenario));
    if (!fit) return tl::unexpected{std::move(fit.error())};
    fits.push_back(std::move(*fit));
  }
  return fits;
}

}  // namespace peerpath::network_run
