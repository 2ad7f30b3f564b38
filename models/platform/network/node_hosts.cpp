#include "platform/network/node_hosts.hpp"

#include <algorithm>

#include "network/division.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_run {
namespace {

using network_scenario::Level;

/// Rates are of payload.
transport::HostRates rates_of(const NodeFit& fit, Bytes packet) {
  // What a packet takes at a rate is in the latency that was found, too.
  const auto without = [packet](Duration latency, BitRate rate) {
    return rate == BitRate{} ? latency : std::max<Duration>(latency - packet / rate, Duration{});
  };
  return {.drain = fit.receive,
          .fetch = fit.transmit,
          .drain_beside = fit.receive_beside,
          .fetch_beside = fit.transmit_beside,
          .together = fit.together,
          .fetch_burst = fit.transmit_burst,
          .burst_toll = fit.burst_toll,
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
  const auto packet = packet_of(loaded_->scenario);
  config.hosts = rates();
  for (auto& host : config.hosts)
    for (auto* rate : {&host.drain, &host.fetch, &host.drain_beside, &host.fetch_beside, &host.together,
                       &host.fetch_burst, &host.burst_toll})
      *rate = with_headers(*rate, packet);
  for (const auto& slow : loaded_->scenario.slow_hosts)
    for (const auto host : network_scenario::hosts_of(loaded_->graph, slow.hosts))
      config.hosts[host].drain = config.hosts[host].drain_beside = slow.rate;
  for (const auto& model : models_) config.dma.push_back(model.get());
}

void NodeHosts::configure(tcp::FleetConfig& config) {
  const auto packet = packet_of(loaded_->scenario);
  auto rates_by_host = rates();
  std::vector<bool> takes_time(rates_by_host.size());
  for (const auto& entry : loaded_->scenario.nodes)
    for (const auto host : network_scenario::hosts_of(loaded_->graph, entry.hosts)) takes_time[host] = true;
  for (const auto& slow : loaded_->scenario.slow_hosts)
    for (const auto host : network_scenario::hosts_of(loaded_->graph, slow.hosts)) {
      rates_by_host[host].drain = rates_by_host[host].drain_beside = without_headers(slow.rate, packet);
      takes_time[host] = true;
    }
  rated_.resize(models_.size());
  for (std::size_t host = 0; host < models_.size(); ++host) {
    if (takes_time[host] && !models_[host]) rated_[host] = std::make_unique<transport::RatedDma>(rates_by_host[host]);
    config.dma.push_back(rated_[host] ? static_cast<transport::HostDma*>(rated_[host].get()) : models_[host].get());
  }
}

/// By host; of those at level `node`.
std::vector<transport::HostRates> NodeHosts::rates() const {
  std::vector<transport::HostRates> out(models_.size());
  const auto payload = packet_of(loaded_->scenario).payload;
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    const auto& entry = loaded_->scenario.nodes[i];
    if (entry.level == Level::tlp) continue;
    for (const auto host : network_scenario::hosts_of(loaded_->graph, entry.hosts))
      out[host] = rates_of(fits_[i], payload);
  }
  return out;
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
  broken_.assign(models_.size(), {});
  for (std::size_t host = 0; host < models_.size(); ++host) {
    if (!models_[host]) continue;
    auto& model = *models_[host];
    model.advance(now);
    auto limit = model.limit();
    used[host] = {true, model.write_latency().quantile(500'000), model.read_latency().quantile(500'000), model.failed(),
                  limit.percent};
    sentences[host] = std::move(limit.sentence);
    if (const auto broken = model.violations(); !broken.empty())
      broken_[host] = loaded_->graph.nodes[loaded_->graph.hosts[host]].name + ": " + broken.front();
  }
  parts.gather(used, [](Used& a, const Used& b) {
    if (b.here) a = b;
  });
  parts.gather(sentences);
  parts.gather(broken_);
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
