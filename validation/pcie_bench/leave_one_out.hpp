// `peerpath validate pcie-bench --leave-one-out`: each host predicted by what the other machines say.
#pragma once

#include <string>
#include <vector>

#include "validation/pcie_bench/validate.hpp"

namespace peerpath::pcie_bench {

/// What a host is held to whose machine was left out: of its own it tells two sizes, LAT_DMA_RD 64 B (warm for
/// `read_latency`, cold for `cold_miss` and the time of a refresh) and BW_DMA_RD 768 B, and the constants of its IOMMU.
/// `sweeps` are the windows as they were predicted, perhaps none.
std::vector<Criterion> judge_left_out(const std::vector<Prediction>& predictions, const SweepReport& sweeps);

/// One directory, in sample and left out; the criteria of both are the same ones, in the same order.
struct LeftOut {
  std::string host;
  CardConstants card;  ///< fitted without any directory of this machine
  HostConstants constants;
  std::vector<Criterion> in_sample, left_out;
  std::optional<double> own_cold_miss;      ///< which predicts, where its own size tells it
  std::vector<double> windows_cold_misses;  ///< as each window of its cold latencies would tell it
  std::vector<double> others_cold_miss;     ///< as each of the other machines tells it
  Range fitting_cold_miss;                  ///< with which all cold latencies hold; none where they are not judged
};

std::string to_text(const std::vector<LeftOut>& hosts);
std::string to_json(const std::vector<LeftOut>& hosts);

/// `reports` are the hosts in sample. The card without a machine is read from `options.left_out_cards`, or fitted where
/// there is none.
Outcome leave_one_out(const Options& options, const std::vector<HostReport>& reports, const std::vector<HostData>& all,
                      const Say& say);

}  // namespace peerpath::pcie_bench
