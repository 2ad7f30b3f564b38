#include "study/text/number_text.hpp"

#include <fmt/format.h>

#include <array>

namespace peerpath::study {
namespace {

struct Unit {
  double size;
  const char* name;
};

/// Three significant digits in the largest unit that leaves at least one before the point.
template <std::size_t N>
std::string scaled(double value, const std::array<Unit, N>& units) {
  for (const auto& [size, name] : units) {
    if (value < size) continue;
    const double number = value / size;
    if (number < 9.995) return fmt::format("{:.2f} {}", number, name);
    if (number < 99.95) return fmt::format("{:.1f} {}", number, name);
    return fmt::format("{:.0f} {}", number, name);
  }
  return fmt::format("{:.0f} {}", value / units.back().size, units.back().name);
}

}  // namespace

std::string readable(Duration time) {
  static constexpr std::array<Unit, 4> units{{{1e15, "s"}, {1e12, "ms"}, {1e9, "us"}, {1e6, "ns"}}};
  return scaled(static_cast<double>(time.count()), units);
}

std::string readable(Bytes size) {
  static constexpr std::array<Unit, 4> units{{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
  if (size < Bytes{1000}) return fmt::format("{} B", size.count());
  return scaled(static_cast<double>(size.count()), units);
}

std::string grouped(std::int64_t count) {
  auto text = std::to_string(count);
  for (auto at = static_cast<int>(text.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ' ');
  return text;
}

std::string gbps(Bytes bytes, Duration window) {
  if (window.count() == 0) return "-";
  return fmt::format("{:.2f}", static_cast<double>(bytes.count()) * 8e6 / static_cast<double>(window.count()));
}

std::string found_text(const observe::ExpectationResult& expectation) {
  if (!expectation.said.empty()) return expectation.said;
  return expectation.found ? to_string(*expectation.found) : "none";
}

std::string percent(observe::Decimal percent) { return fmt::format("{:.1f} %", percent.value()); }

}  // namespace peerpath::study
