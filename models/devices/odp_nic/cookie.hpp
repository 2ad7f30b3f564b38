// What NIC, driver and copy engine write into the cookies of their transactions.
#pragma once

#include <cstdint>

#include "devices/private_pages/contents.hpp"

namespace peerpath::odp {

/// What a transaction is for.
enum class Work : std::uint8_t {
  event,         ///< NIC to host: the entry of an event, before its interrupt
  fault,         ///< NIC to driver: a page is needed
  drained,       ///< NIC to driver: an invalidation is over
  touched,       ///< GPU to driver: a kernel needs a page
  copied,        ///< copy engine to driver; flag: it failed
  install,       ///< driver to NIC; flag: an alias, in `slot`
  refuse,        ///< driver to NIC: the page cannot be had
  invalidate,    ///< driver to NIC
  copy_to_host,  ///< driver to copy engine
  copy_to_vram,  ///< the same
  data,          ///< payload of the NIC; value: number of the access
  chunk,         ///< part of a page that migrates
};

/// A cookie, as numbers.
struct Cookie {
  std::uint8_t region = 0;  ///< the registered buffer, one for each traffic entry
  Work work{};
  bool flag = false;
  std::uint32_t slot = 0;   ///< of `install`: below 2^slot_bits
  std::uint32_t value = 0;  ///< of most: the page

  static constexpr int slot_bits = 19;

  constexpr std::uint64_t pack() const {
    return std::uint64_t{region} << 56 | std::uint64_t{static_cast<std::uint8_t>(work)} << 52 |
           std::uint64_t{flag ? 1U : 0U} << 51 | std::uint64_t{slot} << 32 | value;
  }
  static constexpr Cookie unpack(std::uint64_t cookie) {
    return {static_cast<std::uint8_t>(cookie >> 56), static_cast<Work>(cookie >> 52 & 0xf), (cookie >> 51 & 1) != 0,
            static_cast<std::uint32_t>(cookie >> 32 & 0x7'ffff), static_cast<std::uint32_t>(cookie)};
  }
};

}  // namespace peerpath::odp
