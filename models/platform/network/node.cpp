#include "platform/network/node.hpp"

#include <algorithm>

#include "peerpath/observe/finish.hpp"
#include "peerpath/platform/run.hpp"
#include "scenario/network/names.hpp"

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

/// The distance of `model` from what was found, of the latter.
Decimal percent_off(std::int64_t model, std::int64_t found) {
  return quotient(static_cast<WideInt>(model > found ? model - found : found - model) * 100,
                  std::max<std::int64_t>(found, 1), 2);
}

Decimal larger(const Decimal& a, const Decimal& b) { return a.value() < b.value() ? b : a; }

/// What one run of the host found.
struct NodeRun {
  NodePoint point{};
  Decimal transmit_offered{};
  std::string bottleneck{};
};

class NodeRuns {
 public:
  NodeRuns(const scenario::Loaded& node, Bytes payload) : node_{node}, payload_{payload} {}

  tl::expected<NodeRun, Problems> run(BitRate rate) const {
    auto scenario = node_.scenario;
    for (auto& entry : scenario.traffic) {
      entry.rate = rate;
      entry.sizes = {payload_};
    }
    if (auto wrong = scenario::check(scenario); !wrong.empty()) return tl::unexpected{placed(std::move(wrong))};
    platform::RunOptions options;
    options.captures = node_.captures;
    auto results = platform::run(scenario, options);
    if (!results) return tl::unexpected{placed(std::move(results.error()))};
    scenario.expect.clear();
    observe::finish(*results, scenario);
    return found(*results, scenario);
  }

 private:
  Problems placed(Problems problems) const {
    for (auto& problem : problems) problem.file = node_.file.generic_string();
    return problems;
  }

  static Decimal value(const observe::Results& results, const std::string& name) {
    const auto* metric = observe::find_metric(results, name);
    return metric != nullptr && metric->value ? *metric->value : Decimal{};
  }

  static NodeRun found(const observe::Results& results, const scenario::Scenario& scenario) {
    NodeRun out;
    out.bottleneck = results.bottleneck;
    for (const auto& entry : scenario.traffic) {
      if (entry.is<scenario::traffic::Transmit>()) {
        out.point.sent_gbps = value(results, entry.name + ".goodput_gbps");
        out.transmit_offered = value(results, entry.name + ".offered_gbps");
        continue;
      }
      out.point.offered_gbps = value(results, entry.name + ".offered_gbps");
      out.point.goodput_gbps = value(results, entry.name + ".goodput_gbps");
      for (const auto* stage : {"pipeline", "descriptor", "dma"})
        out.point.latency += Duration{bps_of(value(results, entry.name + ".latency_" + stage + "_p50_ns")) / 1'000};
    }
    return out;
  }

  const scenario::Loaded& node_;
  Bytes payload_;
};

/// What is carried but for a half of a percent is not limited.
BitRate limit(const Decimal& offered, const Decimal& carried) {
  const auto most = bps_of(offered), found = bps_of(carried);
  return most - found <= most / 200 ? BitRate{} : BitRate{found};
}

}  // namespace

tl::expected<NodeFit, Problems> fit_node(const scenario::Loaded& node, BitRate line, Bytes payload) {
  const NodeRuns runs{node, payload};
  const auto full = runs.run(line);
  if (!full) return tl::unexpected{full.error()};
  NodeFit fit;
  fit.receive = limit(full->point.offered_gbps, full->point.goodput_gbps);
  fit.transmit = limit(full->transmit_offered, full->point.sent_gbps);
  fit.bottleneck = full->bottleneck;
  fit.points.push_back(full->point);
  // Both directions of part load are those that the slower one can.
  auto able = line.bps();
  for (const auto& [most, carried] : {std::pair{full->point.offered_gbps, full->point.goodput_gbps},
                                      std::pair{full->transmit_offered, full->point.sent_gbps}})
    if (bps_of(most) > 0)
      able =
          std::min(able, static_cast<std::int64_t>(static_cast<WideInt>(line.bps()) * bps_of(carried) / bps_of(most)));
  for (const int percent : {25, 50, 90}) {
    const auto part = runs.run(BitRate{able / 100 * percent});
    if (!part) return tl::unexpected{part.error()};
    const auto& point = part->point;
    fit.points.push_back(point);
    if (percent == 25) {
      fit.latency = point.latency;
      continue;
    }
    fit.rate_error_percent =
        larger(fit.rate_error_percent, percent_off(bps_of(point.offered_gbps), bps_of(point.goodput_gbps)));
    if (percent == 50) fit.latency_error_percent = percent_off(fit.latency.count(), point.latency.count());
  }
  return fit;
}

tl::expected<std::vector<NodeFit>, Problems> fit_nodes(const network_scenario::Loaded& loaded) {
  std::vector<NodeFit> fits;
  for (std::size_t i = 0; i < loaded.nodes.size(); ++i) {
    const auto host = network_scenario::hosts_of(loaded.graph, loaded.scenario.nodes[i].hosts).front();
    auto fit =
        fit_node(loaded.nodes[i], network_scenario::rate_of_host(loaded.graph, host), Bytes{loaded.scenario.nics.mtu});
    if (!fit) return tl::unexpected{std::move(fit.error())};
    fits.push_back(std::move(*fit));
  }
  return fits;
}

}  // namespace peerpath::network_run
