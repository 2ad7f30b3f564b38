#include "validation/pcie_bench/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlopt.hpp>

namespace peerpath::pcie_bench {
namespace {

constexpr std::array<Case, 10> cases{{{Test::bw_read, Bytes{192}}, {Test::bw_read, Bytes{768}},
                                      {Test::bw_write, Bytes{64}}, {Test::bw_write, Bytes{768}},
                                      {Test::bw_both, Bytes{128}}, {Test::bw_both, Bytes{512}},
                                      {Test::lat_dma_read, Bytes{64}}, {Test::lat_dma_read, Bytes{2048}},
                                      {Test::lat_dma_write_read, Bytes{64}}, {Test::lat_dma_write_read, Bytes{2048}}}};

using Objective = std::function<double(const std::vector<double>&)>;

double call(const std::vector<double>& x, std::vector<double>&, void* objective) {
  return (*static_cast<Objective*>(objective))(x);
}

/// The least value of `objective` within bounds, from `x`, which becomes the place.
double minimise(Objective objective, std::vector<double>& x, const std::vector<double>& least,
                const std::vector<double>& most, int evaluations) {
  nlopt::opt optimiser{nlopt::LN_NELDERMEAD, static_cast<unsigned>(x.size())};
  optimiser.set_lower_bounds(least);
  optimiser.set_upper_bounds(most);
  std::vector<double> step(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::clamp(x[i], least[i], most[i]);
    step[i] = std::max(0.05 * std::abs(x[i]), 0.01 * (most[i] - least[i]));
  }
  optimiser.set_initial_step(step);
  optimiser.set_min_objective(call, &objective);
  optimiser.set_xtol_rel(1e-4);
  optimiser.set_maxeval(evaluations);
  double value = 0;
  optimiser.optimize(x, value);
  return value;
}

/// Writes and dependent reads tell about the card only: on a remote socket what was just written is read from near by.
bool tells_of_host(const Case& which) { return which.test != Test::lat_dma_write_read; }

/// Errors count by what they are held to: 3 % of writes against 5 % of reads and latencies and 12 % of what is mixed.
double weight(Test test) {
  if (test == Test::bw_write) return 1.0;
  return test == Test::bw_both || test == Test::lat_dma_write_read ? 0.25 : 0.6;
}

double squares(const HostData& host, const CardConstants& card, const HostConstants& constants, bool host_only = false) {
  double sum = 0;
  for (const auto& which : cases) {
    if (host_only && !tells_of_host(which)) continue;
    const auto measured = host.find(which.test, which.size.count())->measured;
    const auto error = weight(which.test) * (play(which, host.setup, card, constants) / measured - 1);
    sum += error * error;
  }
  return sum;
}

}  // namespace

std::span<const Case> fit_cases() { return cases; }

bool is_fitted(const Case& which) {
  return std::ranges::any_of(cases, [&](const Case& c) { return c.test == which.test && c.size == which.size; });
}

double residual(const HostData& host, const CardConstants& card, const HostConstants& constants) {
  return std::sqrt(squares(host, card, constants) / static_cast<double>(cases.size()));
}

HostConstants fit_host(const HostData& host, const CardConstants& card) {
  const auto& latency = host_constants[0];
  const auto& step = host_constants[1];
  HostConstants best;
  double least_squares = -1;
  for (HostConstants tried{.completion_step = step.least}; tried.completion_step <= step.most; tried.completion_step *= 2) {
    // from the shortest latency one step leads next to the best place
    const Case shortest{Test::lat_dma_read, Bytes{64}};
    std::vector<double> x{tried.read_latency + host.find(shortest.test, 64)->measured -
                          play(shortest, host.setup, card, tried)};
    const auto objective = [&](const std::vector<double>& v) {
      return squares(host, card, {v[0], tried.completion_step}, true);
    };
    const auto value = minimise(objective, x, {latency.least}, {latency.most}, 25);
    if (least_squares >= 0 && value >= least_squares) continue;
    least_squares = value;
    best = {x[0], tried.completion_step};
  }
  return best;
}

CardConstants fit_card(std::span<const HostData> hosts, const CardConstants& start,
                       const std::function<void(int, double)>& round) {
  auto card = start;
  std::vector<double> least, most;
  for (const auto& constant : card_constants) {
    least.push_back(constant.least);
    most.push_back(constant.most);
  }
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<HostConstants> constants;
    for (const auto& host : hosts) constants.push_back(fit_host(host, card));
    std::vector<double> x;
    for (const auto& constant : card_constants) x.push_back(card.*constant.member);
    const auto unpack = [](const std::vector<double>& v) {
      CardConstants c;
      for (std::size_t i = 0; i < card_constants.size(); ++i) c.*card_constants[i].member = v[i];
      return c;
    };
    const auto objective = [&](const std::vector<double>& v) {
      double sum = 0;
      for (std::size_t i = 0; i < hosts.size(); ++i) sum += squares(hosts[i], unpack(v), constants[i]);
      return sum;
    };
    const auto value = minimise(objective, x, least, most, 250);
    card = unpack(x);
    round(turn + 1, std::sqrt(value / static_cast<double>(cases.size() * hosts.size())));
  }
  return card;
}

}  // namespace peerpath::pcie_bench
