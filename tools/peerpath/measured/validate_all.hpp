// `peerpath validate --all`: every set of validation/evidence.json, and whether the model is as near to it as is said
// there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

/// Sets of the evidence to measure, and the use of the results.
struct EvidenceRequest {
  std::vector<std::string> only{};  ///< parts of the names of sets; none: all sets
  bool whole = false;               ///< also play points as scenarios, and predict all windows of pcie-bench
  bool write = false;               ///< keep the results, and write the tables; for `whole`
  bool json = false;
};

/// `folder` has evidence.json. Done unless a row misses its bound and is not listed, or by more than is listed.
Exit validate_all(const std::filesystem::path& folder, const EvidenceRequest& request, const Terminal& terminal);

}  // namespace peerpath::cli
