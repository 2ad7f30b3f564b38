// Where the data of a command lies in memory: Physical Region Pages. NVM Express Base Specification 2.0, section 4.1.1.
#pragma once

#include <cstdint>

#include "peerpath/base/units.hpp"

namespace peerpath::nvme {

/// Memory page of the controller (CC.MPS = 0), and one PRP entry.
inline constexpr Bytes page{4096}, prp_entry{8};

/// Pages that a buffer touches; only its first entry may begin within a page.
constexpr std::int64_t pages(std::uint64_t address, Bytes size) {
  const auto offset = static_cast<std::int64_t>(address % static_cast<std::uint64_t>(page.count()));
  return (offset + size.count() + page.count() - 1) / page.count();
}

/// The list that the controller has to fetch: none for up to two pages, which the command names itself; else all pages
/// but the first.
constexpr Bytes prp_list(std::uint64_t address, Bytes size) {
  const auto touched = pages(address, size);
  return touched <= 2 ? Bytes{} : prp_entry * (touched - 1);
}

/// What a buffer has from `done` on within one page.
constexpr Bytes piece(std::uint64_t address, Bytes size, Bytes done) {
  const auto at = address + static_cast<std::uint64_t>(done.count());
  const Bytes room{page.count() - static_cast<std::int64_t>(at % static_cast<std::uint64_t>(page.count()))};
  return room < size - done ? room : size - done;
}

}  // namespace peerpath::nvme
