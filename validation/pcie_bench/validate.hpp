// `peerpath validate pcie-bench`: reads, fits, predicts, judges and reports.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/pcie_bench/criteria.hpp"
#include "validation/pcie_bench/effects.hpp"

namespace peerpath::pcie_bench {

struct Options {
  std::filesystem::path data;       ///< a host directory, or a folder of them
  std::optional<std::string> host;  ///< only directories whose name contains it
  std::filesystem::path card;       ///< the card's constants, nfp6000.json
  bool refit_card = false;          ///< fit the card too, over the hosts chosen, and report its constants as a preset
  std::optional<std::string> without{};    ///< with `refit_card`: leave out the machines whose name contains it
  bool leave_one_out = false;              ///< predict each host by what the other machines say
  std::filesystem::path left_out_cards{};  ///< the card fitted without each machine, MACHINE.json
  std::optional<Bytes> cache{};            ///< last-level cache of hosts whose directory does not say it
  std::optional<int> cache_ways{};
  bool json = false;
  /// Windows to predict, by host; nothing: all. Criteria of windows are judged only where all are predicted.
  std::function<bool(const std::string& host, const Sweep&)> windows{};
};

/// All about one host.
struct HostReport {
  HostData data;
  HostConstants constants;
  double residual = 0;
  std::vector<Prediction> predictions;
  std::vector<Criterion> criteria;
  std::vector<SweepPrediction> sweeps;
  /// Without points of its own that tell the IOMMU's constants, windows in translated small pages hang on assumed ones.
  bool judges_windows() const {
    return !data.setup.iommu || data.setup.super_pages || data.setup.remote_memory || effects->own_translation;
  }
  std::optional<HostEffects> effects;  ///< nothing if no machine tells what a miss of the cache costs
};

/// Says what is being done, for a progress line.
using Say = std::function<void(std::string_view)>;

/// What to print on standard output, and the exit status: 0 all within tolerance, 1 not, 2 wrong input.
struct Outcome {
  int exit = 0;
  std::string text;
  Problems problems;
};

Outcome validate(const Options& options, const Say& say);

/// Report of `validate`, before it becomes text. The hosts' sizes are predicted in parallel.
struct Assessed {
  CardConstants card;
  std::vector<HostReport> reports;  ///< of the hosts that are chosen
  std::vector<HostData> all;
};
tl::expected<Assessed, Problems> assess(const Options& options, const Say& say);

/// The same for a host at hand.
HostReport report_host(HostData data, const CardConstants& card, double cold_miss = EffectConstants{}.cold_miss);

/// Predicts the window sweeps of the hosts in `reports` that `options` asks for, and adds their criteria if these are
/// all of them. `all` is where the named points are.
void add_sweeps(std::vector<HostReport>& reports, const std::vector<HostData>& all, const CardConstants& card,
                const Options& options, const Say& say);

/// Why the windows of a host are not judged; empty if they are.
std::string why_not_judged(const HostReport& report);

std::string to_text(const CardConstants& card, const std::vector<HostReport>& reports);
std::string to_json(const CardConstants& card, const std::vector<HostReport>& reports);

}  // namespace peerpath::pcie_bench
