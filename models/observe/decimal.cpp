#include <string>

#include "peerpath/observe/results.hpp"

namespace peerpath::observe {
namespace {

constexpr std::int64_t power_of_ten(int exponent) {
  std::int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

}  // namespace

double Decimal::value() const { return static_cast<double>(digits) / static_cast<double>(power_of_ten(places)); }

std::string to_string(Decimal number) {
  const bool negative = number.digits < 0;
  const auto magnitude =
      negative ? 0 - static_cast<std::uint64_t>(number.digits) : static_cast<std::uint64_t>(number.digits);
  auto text = std::to_string(magnitude);
  if (number.places > 0) {
    const auto places = static_cast<std::size_t>(number.places);
    if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
    text.insert(text.size() - places, ".");
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return negative ? "-" + text : text;
}

Decimal quotient(WideInt numerator, WideInt denominator, int places) {
  if (denominator == 0) return {0, places};
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const bool negative = numerator < 0;
  if (negative) numerator = -numerator;
  auto whole = numerator / denominator;
  auto rest = numerator % denominator;
  for (int i = 0; i < places; ++i) {
    rest *= 10;
    whole = whole * 10 + rest / denominator;
    rest %= denominator;
  }
  if (rest * 2 >= denominator) ++whole;
  return {narrow(negative ? -whole : whole), places};
}

}  // namespace peerpath::observe
