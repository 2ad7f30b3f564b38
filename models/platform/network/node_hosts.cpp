#include "platform/network/node_hosts.hpp"

#include <algorithm>

#include "network/division.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_run {
namespace {

using network_scenario::Level;

roce::HostRates rates_of(const NodeFit& fit, Bytes mtu) {
  // What a packet takes at a rate is in the latency that was found, too.
  const auto without = [mtu](Duration latency, BitRate rate) {
    return rate == BitRate{} ? latency : std::max<Duration>(latency - mtu / rate, Duration{});
  };
  return {.drain = with_headers(fit.receive, mtu),
          .fetch = with_headers(fit.transmit, mtu),
          .drain_beside = with_headers(fit.receive_beside, mtu),
          .fetch_beside = with_headers(fit.transmit_beside, mtu),
          .together = with_headers(fit.together, mtu),
          .latency = without(fit.latency, fit.receive),
          .send_latency = without(fit.send_latency, fit.transmit),
          .latency_beside = without(fit.latency_beside, fit.receive_beside),
          .send_latency_beside = without(fit.send_latency_beside, fit.transmit_beside),
          .transmit_buffer = fit.transmit_buffer};
}

/// What a simulated host did, as ranks tell it to each other.
struct Used {
  bool here = false;
  Duration latency{}, send_latency{};
  std::int64_t failed = 0;
  observe::Decimal percent{};
};

/// Whether each host is of this rank.
std::vector<bool> owned(const network::Graph& graph, const Ranks* ranks) {
  std::vector<bool> own(graph.hosts.size(), true);
  if (ranks == nullptr) return own;
  const auto owner = network::divide(graph, ranks->count());
  for (std::size_t host = 0; host < own.size(); ++host) own[host] = owner[graph.hosts[host]] == ranks->number();
  return own;
}

}  // namespace

tl::expected<NodeHosts, Problems> NodeHosts::make(const network_scenario::Loaded& loaded, const Ranks* ranks) {
  NodeHosts hosts;
  hosts.loaded_ = &loaded;
  auto fits = fit_nodes(loaded, true);
  if (!fits) return tl::unexpected{std::move(fits.error())};
  hosts.fits_ = std::move(*fits);
  hosts.models_.resize(loaded.graph.hosts.size());
  const auto own = owned(loaded.graph, ranks);
  for (std::size_t i = 0; i < loaded.nodes.size(); ++i) {
    const auto& entry = loaded.scenario.nodes[i];
    if (entry.level != Level::tlp) continue;
    const auto numbers = network_scenario::hosts_of(loaded.graph, entry.hosts);
    for (const auto host : numbers) {
      if (!own[host] && host != numbers.front()) continue;
      // All ranks see what is wrong with hosts of a kind: else those that do not would wait for the others.
      auto model = HostModel::make(loaded.nodes[i], host);
      if (!model) return tl::unexpected{std::move(model.error())};
      if (own[host]) hosts.models_[host] = std::move(*model);
    }
  }
  return hosts;
}

void NodeHosts::configure(roce::FleetConfig& config) const {
  config.hosts.resize(models_.size());
  config.dma.resize(models_.size());
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    if (loaded_->scenario.nodes[i].level == Level::tlp) continue;
    const auto& fit = fits_[i];
    for (const auto host : network_scenario::hosts_of(loaded_->graph, loaded_->scenario.nodes[i].hosts))
      config.hosts[host] = rates_of(fit, Bytes{loaded_->scenario.nics.mtu});
  }
  for (const auto& slow : loaded_->scenario.slow_hosts)
    for (const auto host : network_scenario::hosts_of(loaded_->graph, slow.hosts))
      config.hosts[host].drain = config.hosts[host].drain_beside = slow.rate;
  for (std::size_t host = 0; host < models_.size(); ++host) config.dma[host] = models_[host].get();
}

void NodeHosts::begin_window(Instant now) {
  for (const auto& model : models_) {
    if (!model) continue;
    model->advance(now);
    model->begin_window();
  }
}

std::vector<NodeFit> NodeHosts::outcome(Instant now, Parts& parts) {
  std::vector<Used> used(models_.size());
  std::vector<std::string> sentences(models_.size());
  for (std::size_t host = 0; host < models_.size(); ++host) {
    if (!models_[host]) continue;
    auto& model = *models_[host];
    model.advance(now);
    auto limit = model.limit();
    used[host] = {true, model.write_latency().quantile(500'000), model.read_latency().quantile(500'000), model.failed(),
                  limit.percent};
    sentences[host] = std::move(limit.sentence);
  }
  parts.gather(used, [](Used& a, const Used& b) {
    if (b.here) a = b;
  });
  parts.gather(sentences);
  auto out = fits_;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto& entry = loaded_->scenario.nodes[i];
    if (entry.level != Level::tlp) continue;
    auto& use = out[i].use.emplace();
    std::int64_t failed = 0;
    for (const auto host : network_scenario::hosts_of(loaded_->graph, entry.hosts)) {
      const auto& u = used[host];
      failed += u.failed;
      if (!use.host.empty() && u.percent.value() <= use.limit.percent.value()) continue;
      use = {loaded_->graph.nodes[loaded_->graph.hosts[host]].name,
             u.latency,
             u.send_latency,
             0,
             {u.percent, sentences[host]}};
    }
    use.failed = failed;
  }
  return out;
}

}  // namespace peerpath::network_run
