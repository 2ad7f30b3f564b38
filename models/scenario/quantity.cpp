#include "scenario/quantity.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <limits>
#include <span>

#include "peerpath/scenario/describe.hpp"

namespace peerpath::scenario {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::int64_t kilo = 1000, mega = 1'000'000, giga = 1'000'000'000, tera = 1'000'000'000'000;
constexpr std::array size_units{Unit{"TiB", 1LL << 40}, Unit{"GiB", 1 << 30}, Unit{"MiB", 1 << 20},
                                Unit{"KiB", 1 << 10},   Unit{"B", 1},         Unit{"kB", kilo},
                                Unit{"MB", mega},       Unit{"GB", giga},     Unit{"TB", tera}};
constexpr std::array rate_units{Unit{"Gbps", giga}, Unit{"Mbps", mega}, Unit{"kbps", kilo}, Unit{"bps", 1},
                                Unit{"Tbps", tera}};
constexpr std::array time_units{Unit{"s", 1000 * tera}, Unit{"ms", tera}, Unit{"us", giga},
                                Unit{"ns", mega},       Unit{"ps", kilo}, Unit{"fs", 1}};

// The first `canonical` units of each list are those that to_text uses, largest first.
constexpr std::size_t canonical_sizes = 5, canonical_rates = 4, canonical_times = 6;

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

const Unit* find(std::span<const Unit> units, std::string_view name) {
  const auto it = std::ranges::find(units, name, &Unit::name);
  return it == units.end() ? nullptr : &*it;
}

struct Split {
  std::string_view number, gap, unit;
};

Split split(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && (std::isdigit(static_cast<unsigned char>(text[n])) || text[n] == '.')) ++n;
  std::size_t u = n;
  while (u < text.size() && text[u] == ' ') ++u;
  return {text.substr(0, n), text.substr(n, u - n), text.substr(u)};
}

// "12.5" x factor as a whole number; false for malformed numbers, fractions of the base unit, and overflow.
enum class Scaled { ok, malformed, fraction, too_large };
Scaled scale(std::string_view number, std::int64_t factor, std::int64_t& out) {
  const auto dot = number.find('.');
  const auto whole = number.substr(0, dot);
  const auto decimals = dot == number.npos ? std::string_view{} : number.substr(dot + 1);
  if (whole.empty() || (dot != number.npos && decimals.empty()) || decimals.find('.') != decimals.npos)
    return Scaled::malformed;
  if (whole.size() > 19 || decimals.size() > 15) return whole.size() > 19 ? Scaled::too_large : Scaled::fraction;
  WideInt value = 0, divisor = 1;
  for (const char c : whole) value = value * 10 + (c - '0');
  for (const char c : decimals) {
    value = value * 10 + (c - '0');
    divisor *= 10;
  }
  // 34 digits fit 113 bits; with a factor of up to 10^15 only the head may overflow, so check before multiplying.
  if (value / divisor > std::numeric_limits<std::int64_t>::max() / factor) return Scaled::too_large;
  const WideInt head = value / divisor * factor;
  const WideInt tail = value % divisor * factor;
  if (tail % divisor != 0) return Scaled::fraction;
  const WideInt total = head + tail / divisor;
  if (total > std::numeric_limits<std::int64_t>::max()) return Scaled::too_large;
  out = static_cast<std::int64_t>(total);
  return Scaled::ok;
}

Hint generic(const Dimension& d) {
  return "is not a " + std::string{d.what} + "; write e.g. \"" + std::string{d.example} + "\"";
}

std::string quoted(std::string_view number, std::string_view unit) {
  return "\"" + std::string{number} + std::string{unit} + "\"";
}

// Units that are ambiguous or differ from their apparent meaning.
Hint explain_size_unit(std::string_view number, std::string_view unit) {
  const std::string name = lower(unit);
  const auto ask = [&](std::string_view binary, std::string_view decimal, std::string_view times) {
    return "is ambiguous; write " + quoted(number, binary) + " for " + std::string{times} + " or " +
           quoted(number, decimal) + " for powers of 1000";
  };
  if (name == "k" || unit == "KB" || unit == "Kb" || unit == "kb") return ask("KiB", "kB", "1024 B");
  if (name == "m" || unit == "Mb" || unit == "mb") return ask("MiB", "MB", "1024 KiB");
  if (name == "g" || unit == "Gb" || unit == "gb") return ask("GiB", "GB", "1024 MiB");
  if (name == "t" || unit == "Tb" || unit == "tb") return ask("TiB", "TB", "1024 GiB");
  if (name == "byte" || name == "bytes") return "is spelt " + quoted(number, "B") + " here";
  return {};
}

Hint explain_rate_unit(std::string_view number, std::string_view unit) {
  const std::string name = lower(unit);
  for (const auto& [prefix, spelt] : {std::pair{'k', "kbps"}, {'m', "Mbps"}, {'g', "Gbps"}, {'t', "Tbps"}}) {
    if (name.empty() || name[0] != prefix) continue;
    const auto rest = std::string_view{name}.substr(1);
    if (rest.empty()) return "has no unit of a rate; write " + quoted(number, spelt);
    const bool bytes = unit.find('B') != unit.npos;
    if (bytes && (rest == "b/s" || rest == "bps" || rest == "ib/s"))
      return "counts bytes; a rate is in bits per second, such as " + quoted("200", spelt);
    if (rest == "b/s" || rest == "bit/s" || rest == "bits/s" || rest == "bit" || rest == "b")
      return "is spelt " + quoted(number, spelt) + " here";
  }
  return {};
}

Hint explain_time_unit(std::string_view number, std::string_view unit) {
  if (unit == "\u00b5s" || unit == "\u03bcs" || unit == "usec") return "is spelt " + quoted(number, "us") + " here";
  if (unit == "u") return "has no unit of a time; write " + quoted(number, "us");
  if (unit == "n") return "has no unit of a time; write " + quoted(number, "ns");
  if (unit == "m") return "has no unit of a time; write " + quoted(number, "ms");
  if (unit == "sec") return "is spelt " + quoted(number, "s") + " here";
  return {};
}

using ExplainUnit = Hint (*)(std::string_view, std::string_view);

tl::expected<std::int64_t, Hint> parse(std::string_view text, const Dimension& dimension, std::span<const Unit> units,
                                       ExplainUnit explain_unit) {
  if (!text.empty() && text.front() == '-')
    return tl::unexpected{"is negative; a " + std::string{dimension.what} + " cannot be"};
  const auto [number, gap, unit] = split(text);
  std::int64_t value = 0;
  if (number.empty() || scale(number, 1, value) == Scaled::malformed) return tl::unexpected{generic(dimension)};
  if (unit.empty()) return tl::unexpected{"has no unit; write e.g. " + quoted(number, dimension.plain)};
  const Unit* known = find(units, unit);
  if (known == nullptr) {
    if (Hint hint = explain_unit(number, unit); !hint.empty()) return tl::unexpected{hint};
    for (const Unit& candidate : units)
      if (lower(candidate.name) == lower(unit))
        return tl::unexpected{"has its unit spelt wrongly; write " + quoted(number, candidate.name)};
    return tl::unexpected{generic(dimension)};
  }
  if (!gap.empty()) return tl::unexpected{"has a space in it; write " + quoted(number, unit)};
  switch (scale(number, known->factor, value)) {
    case Scaled::ok:
      return value;
    case Scaled::fraction:
      return tl::unexpected{"is not a whole number of " + std::string{dimension.base}};
    default: {
      const auto most = std::numeric_limits<std::int64_t>::max() / units[0].factor;
      return tl::unexpected{"is too large; the most is " + quoted(std::to_string(most), units[0].name)};
    }
  }
}

std::string spell(std::int64_t value, std::span<const Unit> units) {
  if (value != 0)
    for (const Unit& unit : units)
      if (value % unit.factor == 0) return std::to_string(value / unit.factor) + std::string{unit.name};
  return std::to_string(value) + std::string{units.back().name};
}

}  // namespace

template <>
Dimension dimension_of<Bytes>() {
  return {"size", "4KiB", "B", "bytes"};
}
template <>
Dimension dimension_of<BitRate>() {
  return {"rate", "200Gbps", "Gbps", "bits per second"};
}
template <>
Dimension dimension_of<Duration>() {
  return {"time", "500ns", "ns", "femtoseconds"};
}

template <>
tl::expected<Bytes, Hint> parse_quantity<Bytes>(std::string_view text) {
  return parse(text, dimension_of<Bytes>(), size_units, explain_size_unit).map([](std::int64_t n) { return Bytes{n}; });
}
template <>
tl::expected<BitRate, Hint> parse_quantity<BitRate>(std::string_view text) {
  return parse(text, dimension_of<BitRate>(), rate_units, explain_rate_unit).map([](std::int64_t n) {
    return BitRate{n};
  });
}
template <>
tl::expected<Duration, Hint> parse_quantity<Duration>(std::string_view text) {
  return parse(text, dimension_of<Duration>(), time_units, explain_time_unit).map([](std::int64_t n) {
    return Duration{n};
  });
}
template <>
tl::expected<BusAddress, Hint> parse_quantity<BusAddress>(std::string_view text) {
  std::uint64_t value = 0;
  const auto digits = text.substr(std::min<std::size_t>(2, text.size()));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (!text.starts_with("0x") || digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    return tl::unexpected{Hint{"is not an address; write e.g. \"0x4000000000\""}};
  return BusAddress{value};
}

std::string in_smaller_unit(BitRate rate, BitRate most) {
  const std::span units{rate_units.data(), canonical_rates};
  const auto spelt = std::ranges::find_if(units, [&](const Unit& unit) { return rate.bps() % unit.factor == 0; });
  const auto number = rate.bps() / spelt->factor;
  for (auto smaller = std::next(spelt); smaller != units.end(); ++smaller)
    if (number * smaller->factor <= most.bps())
      return "; did you mean " + quoted(std::to_string(number), smaller->name) + "?";
  return {};
}

std::string to_text(Bytes value) {
  for (const Unit& decimal : {Unit{"TB", tera}, Unit{"GB", giga}, Unit{"MB", mega}})  // 141GB, not 141000000000B
    if (value.count() != 0 && value.count() % (1 << 20) != 0 && value.count() % decimal.factor == 0)
      return std::to_string(value.count() / decimal.factor) + std::string{decimal.name};
  return spell(value.count(), std::span{size_units}.first(canonical_sizes));
}
std::string to_text(BitRate value) { return spell(value.bps(), std::span{rate_units}.first(canonical_rates)); }
std::string to_text(Duration value) {
  return value.count() == 0 ? "0ns" : spell(value.count(), std::span{time_units}.first(canonical_times));
}
std::string to_text(BusAddress value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value.value(), 16).ptr;
  return "0x" + std::string{digits.data(), end};
}

}  // namespace peerpath::scenario
