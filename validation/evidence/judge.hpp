// Rows of measured errors, and what evidence.json says of each.
#pragma once

#include <span>

#include "validation/evidence/rows.hpp"

namespace peerpath::evidence {

enum class Verdict : std::uint8_t {
  reported,  ///< there is no bound
  pass,
  known,  ///< misses its bound, as evidence.json lists it
  fail,   ///< misses its bound and is not listed
  grown,  ///< is listed, and misses by more than that
};

struct Judged {
  Row row;
  Verdict verdict = Verdict::reported;
  const Deviation* listed = nullptr;  ///< whatever the verdict is

  bool failed() const { return verdict == Verdict::fail || verdict == Verdict::grown; }
};

/// A listed deviation has grown if its row is more than this above its size: values of another compiler differ in their
/// last digit.
inline constexpr double growth = 0.1;

/// Takes the bounds of `evidence` for rows that bring none.
std::vector<Judged> judge(const Evidence& evidence, std::span<const Row> rows);

std::string_view name_of(Verdict verdict);
std::string to_text(const Judged& judged);
std::string to_json(std::span<const Judged> rows);

}  // namespace peerpath::evidence
