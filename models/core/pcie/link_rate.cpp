#include "core/pcie/link_rate.hpp"

#include "peerpath/base/fail.hpp"

namespace peerpath::pcie {
namespace {

constexpr std::int64_t skp_bytes = 4, skp_period = 1538;
constexpr std::int64_t published_dllp_bytes = 16;  // one ACK and one UpdateFC of 8 B
constexpr int tlp_overhead_of_limits = 28;         // the constant of the spec's formula
constexpr std::int64_t share_unit = 1'000'000;

/// Transfers per second and lane.
std::int64_t transfer_rate(int generation) {
  switch (generation) {
    case 1:
      return 2'500'000'000;
    case 2:
      return 5'000'000'000;
    default:
      return 8'000'000'000LL << (generation - 3);
  }
}

/// Tenths of the AckFactor (and UpdateFactor) of the spec's tables.
int factor_tenths(int width, Bytes max_payload) {
  const bool small = max_payload.count() <= 256;
  if (width <= 4) return small ? 14 : 10;
  if (width == 8) return small ? 25 : 10;
  return small ? 30 : 20;
}

int internal_delay_symbols(int generation) { return generation == 1 ? 19 : generation == 2 ? 70 : 115; }

}  // namespace

BitRate coded_rate(LinkShape shape) {
  require(shape.generation >= 1 && shape.generation <= 6 && shape.width >= 1, "a link of a known generation and width");
  const auto raw = static_cast<WideInt>(transfer_rate(shape.generation)) * shape.width;
  const auto coded = [&](int payload, int total) { return BitRate{narrow(raw * payload / total)}; };
  if (shape.generation <= 2) return coded(8, 10);
  if (shape.generation <= 5) return coded(128, 130);
  return coded(236, 256);
}

Duration symbol_time(int generation) {
  const std::int64_t bits = generation <= 2 ? 10 : 8;
  return Duration{bits * 1'000'000'000'000'000 / transfer_rate(generation)};
}

int ack_limit_symbols(LinkShape shape, Bytes max_payload) {
  const auto bytes = max_payload.count() + tlp_overhead_of_limits;
  const auto serialisation = bytes * factor_tenths(shape.width, max_payload) / (10 * shape.width);
  return static_cast<int>(serialisation) + internal_delay_symbols(shape.generation);
}

LinkTiming link_timing(LinkShape shape, Bytes max_payload, DllpAccounting accounting, double link_share) {
  LinkTiming timing;
  const bool flit = shape.generation >= 6;
  if (flit) timing.framing = Bytes{0};
  const std::int64_t limit = ack_limit_symbols(shape, max_payload);
  WideInt numerator = skp_period - skp_bytes, denominator = skp_period;
  if (!flit && accounting == DllpAccounting::published) {
    numerator = numerator * limit - published_dllp_bytes * skp_period;
    denominator *= limit;
  }
  const auto share = static_cast<std::int64_t>(link_share * static_cast<double>(share_unit) + 0.5);
  numerator *= share;
  denominator *= share_unit;
  timing.rate = BitRate{narrow(coded_rate(shape).bps() * numerator / denominator)};
  if (!flit && accounting == DllpAccounting::counted)
    timing.ack_interval = timing.fc_interval = symbol_time(shape.generation) * limit;
  return timing;
}

}  // namespace peerpath::pcie
