// Bytes on a GPU's link, by its own counters and by the ledger of a scenario that does the same.
#pragma once

#include <string>
#include <vector>

#include "validation/compare/dataset.hpp"

namespace peerpath::calibrate {

/// Bytes that cross the link for one byte of payload, headers of TLPs included, framing and DLLPs not.
struct LinkBytes {
  double sent = 0, received = 0;  ///< by the GPU
};

struct LinkBytesRow {
  std::string experiment;    ///< link_bytes_read or link_bytes_write
  std::int64_t request = 0;  ///< bytes
  LinkBytes measured, model;

  /// The larger of the relative errors of what each way carries for the access. Beside stores hardly anything comes
  /// back, so there only the bytes sent count.
  double error() const;
};

inline constexpr double most_link_bytes_error = 0.01;

/// The points that have counters, each beside what a scenario with `preset` says.
std::vector<LinkBytesRow> compare_link_bytes(const compare::Dataset& dataset, const std::string& preset);

std::string to_text(const std::vector<LinkBytesRow>& rows);

}  // namespace peerpath::calibrate
