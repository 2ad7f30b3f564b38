// Sums over the ledger rows of one link direction, and how busy things were.
#pragma once

#include <array>

#include "peerpath/observe/results.hpp"

namespace peerpath::observe {

constexpr int percent_places = 4;

struct LinkTotals {
  std::array<Bytes, pcie::purposes> by_purpose{};
  Bytes overhead{};
  std::int64_t tlps = 0, dllps = 0;

  Bytes payload() const { return by_purpose[static_cast<std::size_t>(pcie::Purpose::payload)]; }
  Bytes data() const;
  Bytes dllp_bytes() const { return dllps * pcie::dllp_size; }
  Bytes wire() const { return data() + overhead + dllp_bytes(); }
};

LinkTotals total(const LinkDirectionResult& direction);

/// Time in which the direction carried TLPs or DLLPs, in percent of `window`.
Decimal utilisation(const LinkDirectionResult& direction, Duration window);

/// The higher of read and write utilisation, in percent of the memory's rate for each, capped at 100: bytes beyond the
/// rate still wait in the receive buffer.
Decimal utilisation(const MemoryResult& memory, Duration window);

}  // namespace peerpath::observe
