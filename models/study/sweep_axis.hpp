// What a sweep varies: texts such as links.*.generation=4,5 into steps of overrides.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "study/varied.hpp"

namespace peerpath::study {

/// One choice of an axis.
struct SweepStep {
  std::vector<std::string> values;     ///< shown, one for each name of the axis
  std::vector<std::string> overrides;  ///< as --set takes them
};

struct SweepAxis {
  std::vector<std::string> names;  ///< keys as the user wrote them, or "variant"
  std::vector<SweepStep> steps;
};

/// The values of a list: 1,2,3 or 1..64*2 (times 2), 0..10 (by 1), 10Gbps..40Gbps:10Gbps (by 10 Gb/s). Commas in
/// brackets and quotes belong to a value. Or one sentence that says what is wrong.
tl::expected<std::vector<std::string>, std::string> sweep_values(std::string_view text);

/// `key=values`, or several with `;` between them that go in step.
tl::expected<SweepAxis, std::string> sweep_axis(const std::string& text, const Varied& subject);

/// The axis of variants, each `name:key=value,key=value`; `name:` alone leaves the scenario as it is.
tl::expected<SweepAxis, std::string> variant_axis(const std::vector<std::string>& texts, const Varied& subject);

/// The product of the axes in order, the last one fastest.
std::vector<SweepStep> sweep_points(const std::vector<SweepAxis>& axes);

inline constexpr std::size_t most_sweep_points = 1'000'000;

}  // namespace peerpath::study
