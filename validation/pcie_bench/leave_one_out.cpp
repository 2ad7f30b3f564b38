#include "validation/pcie_bench/leave_one_out.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/pcie_bench/fit.hpp"
#include "validation/pcie_bench/preset.hpp"

namespace peerpath::pcie_bench {
namespace {

using Errors = std::vector<double>;

constexpr double cold_allowed = 15;  // %, of cold steps

template <class Chosen>
Errors errors(const std::vector<Prediction>& predictions, Chosen chosen) {
  Errors found;
  for (const auto& p : predictions)
    if (chosen(p.point.which.test, p.point.which.size.count())) found.push_back(100 * std::abs(p.error()));
  std::ranges::sort(found);
  return found;
}

Criterion largest(std::string name, double allowed, const Errors& found) {
  return {std::move(name), static_cast<int>(found.size()), found.empty() ? 0 : found.back(), allowed};
}

Criterion median(std::string name, double allowed, const Errors& found) {
  const auto middle = found.size() / 2;
  const auto value = found.empty() ? 0 : found.size() % 2 > 0 ? found[middle] : (found[middle - 1] + found[middle]) / 2;
  return {std::move(name), static_cast<int>(found.size()), value, allowed};
}

/// Cold windows where the cache stands alone, cliffs where pages of 4 KiB are walked; other windows hold nothing here.
bool tells(const HostData& host, const Sweep& sweep) {
  if (host.setup.remote_memory || sweep.which.test == Test::lat_cmd_write_read) return false;
  return !host.setup.iommu || host.setup.super_pages || !is_latency(sweep.which.test);
}

bool judges_cold(const HostData& host) {
  return !host.setup.remote_memory && (!host.setup.iommu || host.setup.super_pages);
}

tl::expected<CardConstants, Problems> card_without(std::string_view machine, const Options& options,
                                                   const std::vector<HostData>& all, const Say& say) {
  const auto kept = options.left_out_cards / (std::string{machine} + ".json");
  if (std::error_code error; std::filesystem::exists(kept, error)) return load_card(kept);
  std::vector<HostData> others;
  for (const auto& host : all)
    if (machine_of(host.name) != machine) others.push_back(host);
  if (others.empty())
    return tl::unexpected{
        Problems{{options.data.string(), 0, 0, "", "only one machine is here: none is left to fit the card to"}}};
  return fit_card(others, [&](int round, double) {
    say("fitting the card without " + std::string{machine} + ", round " + std::to_string(round));
  });
}

/// Whether any `cold_miss` that lies among those of the other machines holds the host's cold latencies.
std::string cold_miss_text(const LeftOut& host) {
  if (host.others_cold_miss.empty() || host.fitting_cold_miss.most <= 0) return "";
  const auto [least, most] = std::ranges::minmax(host.others_cold_miss);
  const auto from = host.fitting_cold_miss.least, to = host.fitting_cold_miss.most;
  const bool none = from > to || from > most || to < least;
  const auto text = fmt::format(
      "  cold_miss: the other machines' own are {:.1f} to {:.1f} ns; each cold step of LAT_DMA_RD is within {:g} % "
      "with {:.1f} to {:.1f} ns{}\n",
      least, most, cold_allowed, from, to, none ? ": NONE between the others' does it" : "");
  if (!host.own_cold_miss) return text;
  const auto [first, last] = std::ranges::minmax(host.windows_cold_misses);
  const auto holds = [&](double own) { return own >= from && own <= to; };
  return text + fmt::format("  its own LAT_DMA_RD 64 B says {:.1f} ns; its windows one by one {:.1f} to {:.1f}{}\n",
                            *host.own_cold_miss, first, last,
                            std::ranges::none_of(host.windows_cold_misses, holds) ? ": NONE of them does it" : "");
}

nlohmann::ordered_json criterion_json(const Criterion& in_sample, const Criterion& left_out) {
  return {{"name", left_out.name},      {"points", left_out.points},   {"in_sample", in_sample.value},
          {"left_out", left_out.value}, {"allowed", left_out.allowed}, {"passed", left_out.passed()}};
}

}  // namespace

std::vector<Criterion> judge_left_out(const std::vector<Prediction>& predictions, const SweepReport& sweeps) {
  const auto of = [&](Test test, std::int64_t from, std::int64_t to) {
    return errors(predictions, [=](Test t, std::int64_t size) { return t == test && size >= from && size <= to; });
  };
  const auto commands = errors(predictions, [](Test test, std::int64_t) {
    return test == Test::lat_cmd_read || test == Test::lat_cmd_write_read;
  });
  const auto reads = of(Test::bw_read, 1, 4096);
  std::vector<Criterion> all{
      largest("writes of 512 B and more, largest error %", 3, of(Test::bw_write, 512, 4096)),
      largest("writes below 512 B, largest error %", 6, of(Test::bw_write, 1, 511)),
      median("reads, median error %", 5, reads), largest("reads, largest error %", 13, reads),
      largest("DMA read latency of 8 to 2048 B, largest error %", 5, of(Test::lat_dma_read, 8, 2048))};
  const auto& setup = sweeps.host->setup;
  // In the directory of the other socket the command interface was measured with a local buffer.
  if (!setup.remote_memory) all.push_back(largest("command latency, largest error %", 8, commands));
  if (sweeps.predictions.empty()) return all;
  if (setup.iommu && !setup.super_pages) {
    auto cliffs = judge_cliffs(sweeps);
    cliffs.name = "windows: curves whose cliff is at another window, %";
    cliffs.value *= cliffs.points > 0 ? 100.0 / cliffs.points : 0;
    cliffs.allowed = 15;
    all.push_back(std::move(cliffs));
  } else {
    for (auto& cold : judge_cold(sweeps))
      if (cold.name.starts_with("cold cache:")) all.push_back(std::move(cold));
  }
  return all;
}

std::string to_text(const std::vector<LeftOut>& hosts) {
  std::string text =
      "Each host predicted by the other machines. Its own are LAT_DMA_RD 64 B for read_latency, cold_miss and the time "
      "of a\n"
      "refresh, BW_DMA_RD 768 B for completion_step, and the IOMMU's constants where it has one\n";
  int passed = 0, failed = 0;
  for (const auto& host : hosts) {
    text += fmt::format("\n{}\n  read_latency {:.2f} ns, completion_step {:.0f} B; card:", host.host,
                        host.constants.read_latency, host.constants.completion_step);
    for (const auto& c : card_constants) text += fmt::format(" {} {:.2f} {}", c.name, host.card.*c.member, c.unit);
    text += "\n" + cold_miss_text(host);
    text += fmt::format("  {:<62}{:>10}{:>10}{:>9}\n", "", "in sample", "left out", "allowed");
    for (std::size_t i = 0; i < host.left_out.size(); ++i) {
      const auto& c = host.left_out[i];
      ++(c.passed() ? passed : failed);
      text += fmt::format("  {} {:<57}{:>10.1f}{:>10.1f}{:>9g}\n", c.passed() ? "pass" : "FAIL", c.name,
                          host.in_sample[i].value, c.value, c.allowed);
    }
  }
  return text + fmt::format("\nleft out: {} criteria passed, {} failed, {} hosts\n", passed, failed, hosts.size());
}

std::string to_json(const std::vector<LeftOut>& hosts) {
  auto document = nlohmann::ordered_json::object();
  document["hosts"] = nlohmann::ordered_json::array();
  for (const auto& host : hosts) {
    nlohmann::ordered_json item{{"host", host.host}, {"card", nlohmann::ordered_json::object()}};
    for (const auto& c : card_constants) item["card"][std::string{c.name}] = host.card.*c.member;
    item["read_latency"] = host.constants.read_latency;
    item["completion_step"] = host.constants.completion_step;
    if (host.own_cold_miss) item["cold_miss"] = *host.own_cold_miss;
    if (host.fitting_cold_miss.most > 0) {
      item["cold_miss_of_others"] = host.others_cold_miss;
      item["cold_miss_that_holds"] = {host.fitting_cold_miss.least, host.fitting_cold_miss.most};
    }
    for (std::size_t i = 0; i < host.left_out.size(); ++i)
      item["criteria"].push_back(criterion_json(host.in_sample[i], host.left_out[i]));
    document["hosts"].push_back(std::move(item));
  }
  return document.dump(2) + "\n";
}

Outcome leave_one_out(const Options& options, const std::vector<HostReport>& reports, const std::vector<HostData>& all,
                      const Say& say) {
  std::vector<LeftOut> hosts;
  for (const auto& report : reports) {
    const auto& data = report.data;
    const auto machine = machine_of(data.name);
    const auto card = card_without(machine, options, all, say);
    if (!card) return {2, "", card.error()};
    say("predicting " + data.name + " by the other machines");
    const Basis basis{.card = *card, .looks = Looks::at_two_sizes};
    LeftOut host{data.name, *card, fit_host(data, *card, Looks::at_two_sizes), {}, {}, {}, {}, {}, {}};
    const auto effects = fit_effects(data, all);
    const auto cold_miss = effects ? effects->constants.cold_miss : EffectConstants{}.cold_miss;
    std::vector<Prediction> predictions;
    for (const auto& point : data.points)
      predictions.push_back({point, play(point.which, data.setup, *card, host.constants, cold_miss), false});
    SweepReport left_out{&data, {}}, in_sample{&data, {}};
    host.others_cold_miss = cold_misses(all, machine);
    if (judges_cold(data)) {
      host.own_cold_miss = own_cold_miss(data, all);
      host.fitting_cold_miss = fitting_cold_miss(data, cold_allowed / 100);
      host.windows_cold_misses = cold_misses_of_windows(data);
    }
    if (effects)
      left_out = predict_sweeps(data, all, basis, *effects, [&](const Sweep& sweep) { return tells(data, sweep); });
    for (const auto& p : report.sweeps)
      if (tells(data, p.point.sweep)) in_sample.predictions.push_back(p);
    host.left_out = judge_left_out(predictions, left_out);
    host.in_sample = judge_left_out(report.predictions, in_sample);
    hosts.push_back(std::move(host));
  }
  const auto passed = std::ranges::all_of(
      hosts, [](const LeftOut& host) { return std::ranges::all_of(host.left_out, &Criterion::passed); });
  return {passed ? 0 : 1, options.json ? to_json(hosts) : to_text(hosts), {}};
}

}  // namespace peerpath::pcie_bench
