// Sizes, rates, times and addresses as text: "4KiB", "200Gbps", "500ns", "0x4000000000". Exact integers both ways.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "peerpath/base/address.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::scenario {

/// A sentence that says why a text is not a quantity and how to write it, without the text itself.
using Hint = std::string;

/// The name of a dimension, with an example of its spelling.
struct Dimension {
  std::string_view what;     ///< "size"
  std::string_view example;  ///< "4KiB"
  std::string_view plain;    ///< the unit most likely meant where none was written
  std::string_view base;     ///< the unit it is counted in
};

template <class T>
Dimension dimension_of();
template <>
Dimension dimension_of<Bytes>();
template <>
Dimension dimension_of<BitRate>();
template <>
Dimension dimension_of<Duration>();

/// The quantity that `text` says. Strict: one number, one known unit, nothing between or around them, no sign; a
/// decimal fraction must come out as a whole number of bytes, bits per second or femtoseconds.
template <class T>
tl::expected<T, Hint> parse_quantity(std::string_view text);
template <>
tl::expected<Bytes, Hint> parse_quantity<Bytes>(std::string_view text);
template <>
tl::expected<BitRate, Hint> parse_quantity<BitRate>(std::string_view text);
template <>
tl::expected<Duration, Hint> parse_quantity<Duration>(std::string_view text);
template <>
tl::expected<BusAddress, Hint> parse_quantity<BusAddress>(std::string_view text);

/// No link and no memory is that fast: such a rate has a wrong unit.
inline constexpr BitRate beyond_any_hardware{100'000'000'000'000};

/// `; did you mean "200000Mbps"?` after 200000Gbps: the largest smaller unit with which the rate is at most `most`, or
/// nothing.
std::string in_smaller_unit(BitRate rate, BitRate most);

}  // namespace peerpath::scenario
