#include "observe/link_totals.hpp"

#include <algorithm>

namespace peerpath::observe {

Bytes LinkTotals::data() const {
  Bytes sum{};
  for (const auto bytes : by_purpose) sum += bytes;
  return sum;
}

LinkTotals total(const LinkDirectionResult& direction) {
  LinkTotals totals;
  totals.dllps = direction.dllps;
  for (const auto& row : direction.rows) {
    totals.by_purpose[static_cast<std::size_t>(row.purpose)] += row.payload;
    totals.overhead += row.overhead;
    totals.tlps += row.tlps;
  }
  return totals;
}

Decimal utilisation(const LinkDirectionResult& direction, Duration window) {
  const auto taken = direction.busy + direction.signalling + direction.replaying - direction.ahead;
  return quotient(static_cast<WideInt>(taken.count()) * 100, window.count(), percent_places);
}

Decimal utilisation(const MemoryResult& memory, Duration window) {
  const auto share = [window](Bytes bytes, BitRate rate) {
    const auto bits_fs = static_cast<WideInt>(bytes.count()) * 8 * 1'000'000'000'000'000;
    return rate.bps() == 0 ? Decimal{0, percent_places}
                           : quotient(bits_fs * 100, static_cast<WideInt>(rate.bps()) * window.count(), percent_places);
  };
  const auto read = share(memory.read - memory.own_read, memory.read_rate);
  const auto written = share(memory.written - memory.own_written, memory.write_rate);
  // The ledger counts bytes on the link: beyond 100 % they still wait in the receive buffer in front of the memory.
  const std::int64_t all = 100 * 10'000;  // in units of 10^-percent_places
  return {std::min(std::max(read.digits, written.digits), all), percent_places};
}

}  // namespace peerpath::observe
