// `peerpath measure`: finds the GPUs of this machine, runs the experiments on them, writes a dataset.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "validation/experiments/bench.hpp"

namespace peerpath::experiments {

struct MeasureOptions {
  std::string out = "dataset.jsonl";
  gpu::Vendor vendor = gpu::Vendor::cuda;
  std::string library;            ///< of the driver; empty: the vendor's own
  std::string kernels;            ///< file that nvcc or hipcc made of kernels.cu; empty: the one built with the program
  std::vector<std::string> only;  ///< names of experiments; empty: all
  Effort effort;
  NicOptions nic;       ///< the other end of the NICs' experiments
  std::string command;  ///< as the user typed it, for the dataset
};

/// Says what is being done.
using Say = std::function<void(std::string_view)>;

enum class MeasureEnd { done, points_failed, wrong_input, waived };

/// `waived` where nothing of what is asked for can run: no driver or no GPU, no peer; with the reasons said and what
/// would have run. What cannot run beside something that can is waived in the dataset's plan.
MeasureEnd measure(const MeasureOptions& options, const Say& say);

/// A kernel to launch once, for a profiler to look at.
struct Launch {
  std::string kernel;  ///< "read_chains" or "write_places"
  std::int64_t request = 0, warps = 0;
  std::uint64_t steps = 0;
};

/// The launch that KERNEL:REQUEST:WARPS:STEPS names.
std::optional<Launch> read_launch(const std::string& text);

/// Launches each once on the first GPU, over host memory as the experiments do, and measures nothing.
MeasureEnd launch_once(const MeasureOptions& options, std::span<const Launch> launches, const Say& say);

/// What there is to measure: name and what it isolates, a line each.
std::string list_experiments();

}  // namespace peerpath::experiments
