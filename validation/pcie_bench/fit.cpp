#include "validation/pcie_bench/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlopt.hpp>

#include "validation/pcie_bench/effects.hpp"

namespace peerpath::pcie_bench {
namespace {

/// Sizes wanted of each curve, chosen while the model was made: below and above one MPS, and the ends of the latency
/// curves.
constexpr std::array<Case, 10> wanted_cases{{{Test::bw_read, Bytes{256}},
                                             {Test::bw_read, Bytes{768}},
                                             {Test::bw_write, Bytes{64}},
                                             {Test::bw_write, Bytes{768}},
                                             {Test::bw_both, Bytes{128}},
                                             {Test::bw_both, Bytes{512}},
                                             {Test::lat_dma_read, Bytes{64}},
                                             {Test::lat_dma_read, Bytes{2048}},
                                             {Test::lat_dma_write_read, Bytes{64}},
                                             {Test::lat_dma_write_read, Bytes{2048}}}};

using Objective = std::function<double(const std::vector<double>&)>;

double call(const std::vector<double>& x, std::vector<double>&, void* objective) {
  return (*static_cast<Objective*>(objective))(x);
}

/// Of the curve of 64 B reads over windows: the tags bind, so it tells `setup`, during which a read holds none, from
/// `read_latency`. Looked at where neither translation nor the other socket has a say.
constexpr Sweep wanted_window{{Test::bw_read, Bytes{64}}, Bytes{2 << 20}, CacheState::warm};

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

/// The two sizes that a host which was left out is told of: the one shows `read_latency`, the other `completion_step`.
bool is_one_of_two(const Case& which, std::span<const Case> chosen) {
  const auto first = std::ranges::find(chosen, Test::lat_dma_read, &Case::test);
  auto read = std::ranges::find(chosen, Test::bw_read, &Case::test);
  if (std::next(read) != chosen.end() && std::next(read)->test == Test::bw_read) ++read;
  return which == *first || which == *read;
}

double squares(const HostData& host, const CardConstants& card, const HostConstants& constants, bool host_only = false,
               Looks looks = Looks::at_all) {
  double sum = 0;
  const auto chosen = fit_cases(host);
  for (const auto& which : chosen) {
    if (host_only && !tells_of_host(which)) continue;
    if (looks == Looks::at_two_sizes && !is_one_of_two(which, chosen)) continue;
    const auto measured = host.find(which.test, which.size.count())->measured;
    const auto error = weight(which.test) * (play(which, host.setup, card, constants) / measured - 1);
    sum += error * error;
  }
  const auto* point = host.find(wanted_window);
  if (point && is_fitted_by_card(host, wanted_window) && !host_only) {
    const auto error =
        weight(Test::bw_read) * (play(wanted_window.which, host.setup, card, constants) / point->measured - 1);
    sum += error * error;
  }
  return sum;
}

/// Nelder and Mead vary the times; the gap is a whole number of bytes, on which they would see steps, and comes after
/// them.
constexpr auto times = std::span{card_constants}.first<card_constants.size() - 2>();
constexpr const auto& gap = card_constants[times.size()];
static_assert(gap.name == "tlp_gap");

/// A round that lowers the sum of squares by less than 0.2 % is the last one.
constexpr double settled = 0.998;

double best_gap(CardConstants card, const std::function<double(const CardConstants&)>& sum) {
  double best = card.tlp_gap, least = sum(card);
  for (card.tlp_gap = gap.least; card.tlp_gap <= gap.most; ++card.tlp_gap) {
    const auto value = sum(card);
    if (value >= least) continue;
    least = value;
    best = card.tlp_gap;
  }
  return best;
}

/// LAT_DMA_WRRD alone depends on the turnaround, and nanosecond for nanosecond, so its best value is a closed form; the
/// simplex, to which it is one of five, stops short of it.
double best_turnaround(std::span<const HostData> hosts, const CardConstants& card,
                       const std::vector<HostConstants>& constants) {
  double slope = 0, curvature = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    for (const auto& which : fit_cases(hosts[i])) {
      if (tells_of_host(which)) continue;
      const auto measured = hosts[i].find(which.test, which.size.count())->measured;
      slope += (play(which, hosts[i].setup, card, constants[i]) / measured - 1) / measured;
      curvature += 1 / (measured * measured);
    }
  return curvature > 0 ? std::max(0.0, card.turnaround - slope / curvature) : card.turnaround;
}

/// These depend on `command_path` nanosecond for nanosecond, and nothing else does.
constexpr std::array<Case, 4> command_cases{{{Test::lat_cmd_read, Bytes{8}},
                                             {Test::lat_cmd_read, Bytes{64}},
                                             {Test::lat_cmd_write_read, Bytes{8}},
                                             {Test::lat_cmd_write_read, Bytes{64}}}};

/// The value with the least largest error. Hosts with the buffer at the other socket are left out: their LAT_CMD_* are
/// those of the local one.
double best_command_path(std::span<const HostData> hosts, const CardConstants& card,
                         const std::vector<HostConstants>& constants) {
  struct Compared {
    double predicted, measured;
  };
  std::vector<Compared> all;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto cold_miss = fit_cold_miss(hosts[i], hosts).value_or(EffectConstants{}.cold_miss);
    for (const auto& which : command_cases)
      if (const auto* point = hosts[i].find(which.test, which.size.count()); point && !hosts[i].setup.remote_memory)
        all.push_back({play(which, hosts[i].setup, card, constants[i], cold_miss), point->measured});
  }
  if (all.empty()) return card.command_path;
  // Each error falls as the path is longer, so the largest one of either sign meet in one place.
  double least = -400, most = 400;
  for (int step = 0; step < 50; ++step) {
    const auto middle = (least + most) / 2;
    double high = -1e9, low = 1e9;
    for (const auto& c : all) {
      const auto error = (c.predicted + card.command_path - middle) / c.measured - 1;
      high = std::max(high, error);
      low = std::min(low, error);
    }
    (high + low > 0 ? least : most) = middle;
  }
  return (least + most) / 2;
}

}  // namespace

std::span<const Case> command_fit_cases() { return command_cases; }

/// Errors count by what they are held to: 3 % of writes against 5 % of reads and latencies and 12 % of what is mixed.
double weight(Test test) {
  if (test == Test::bw_write) return 1.0;
  return test == Test::bw_both || test == Test::lat_dma_write_read ? 0.25 : 0.6;
}

std::span<const Case> wanted_fit_cases() { return wanted_cases; }
const Sweep& wanted_fit_window() { return wanted_window; }

bool is_fitted_by_card(const HostData& host, const Sweep& sweep) {
  return sweep == wanted_window && !host.setup.remote_memory && (!host.setup.iommu || host.setup.super_pages);
}

std::vector<Case> fit_cases(const HostData& host) {
  std::vector<Case> chosen;
  for (const auto& want : wanted_cases) {
    const auto apart = [&](const Point& p) {
      const auto a = static_cast<double>(p.which.size.count()), b = static_cast<double>(want.size.count());
      return std::max(a, b) / std::min(a, b);
    };
    const Point* nearest = nullptr;
    for (const auto& point : host.points)
      if (point.which.test == want.test && (!nearest || apart(point) < apart(*nearest))) nearest = &point;
    const auto taken = [&](const Case& c) { return c.test == want.test && c.size == nearest->which.size; };
    if (nearest && std::ranges::none_of(chosen, taken)) chosen.push_back(nearest->which);
  }
  return chosen;
}

double residual(const HostData& host, const CardConstants& card, const HostConstants& constants) {
  return std::sqrt(squares(host, card, constants) / static_cast<double>(fit_cases(host).size()));
}

HostConstants fit_host(const HostData& host, const CardConstants& card, Looks looks) {
  const auto& latency = host_constants[0];
  const auto& step = host_constants[1];
  HostConstants best;
  best.refresh = read_refresh(host);
  // a completion is at most one MPS
  const auto longest = std::min(step.most, static_cast<double>(host.setup.max_payload.count()));
  double least_squares = -1;
  for (HostConstants tried{.completion_step = step.least, .refresh = best.refresh}; tried.completion_step <= longest;
       tried.completion_step *= 2) {
    // from the shortest latency one step leads next to the best place
    const auto chosen = fit_cases(host);
    const auto shortest = *std::ranges::find(chosen, Test::lat_dma_read, &Case::test);
    std::vector<double> x{tried.read_latency + host.find(shortest.test, shortest.size.count())->measured -
                          play(shortest, host.setup, card, tried)};
    const auto objective = [&](const std::vector<double>& v) {
      return squares(host, card, {v[0], tried.completion_step, tried.refresh}, true, looks);
    };
    const auto value = minimise(objective, x, {latency.least}, {latency.most}, 25);
    if (least_squares >= 0 && value >= least_squares) continue;
    least_squares = value;
    best = {x[0], tried.completion_step, tried.refresh};
  }
  return best;
}

CardConstants fit_card(std::span<const HostData> hosts, const std::function<void(int, double)>& round,
                       const FitEffort& effort) {
  CardConstants card;
  std::vector<double> least, most;
  for (const auto& constant : times) {
    least.push_back(constant.least);
    most.push_back(constant.most);
  }
  double before = 0;
  CardConstants best;
  double least_sum = -1;
  std::vector<HostConstants> constants;
  for (int turn = 1; turn <= effort.rounds; ++turn) {
    constants.clear();
    for (const auto& host : hosts) constants.push_back(fit_host(host, card));
    const auto sum_with = [&](const CardConstants& tried) {
      double sum = 0;
      for (std::size_t i = 0; i < hosts.size(); ++i) sum += squares(hosts[i], tried, constants[i]);
      return sum;
    };
    card.tlp_gap = best_gap(card, sum_with);
    std::vector<double> x;
    for (const auto& constant : times) x.push_back(card.*constant.member);
    const auto unpack = [&](const std::vector<double>& v) {
      auto c = card;
      for (std::size_t i = 0; i < times.size(); ++i) c.*times[i].member = v[i];
      return c;
    };
    const auto value =
        minimise([&](const std::vector<double>& v) { return sum_with(unpack(v)); }, x, least, most, effort.evaluations);
    card = unpack(x);
    // Hosts are fitted to fewer curves than the card, so a round may end above the one before.
    if (auto turned = card; least_sum < 0 || value < least_sum) {
      turned.turnaround = best_turnaround(hosts, card, constants);
      turned.command_path = best_command_path(hosts, turned, constants);
      best = turned;
      least_sum = value;
    }
    std::size_t points = 0;
    for (const auto& host : hosts) points += fit_cases(host).size();
    round(turn, std::sqrt(value / static_cast<double>(points)));
    if (before > 0 && value > settled * before) break;
    before = value;
  }
  return best;
}

}  // namespace peerpath::pcie_bench
