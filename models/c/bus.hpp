// Transactions and deliveries of emulated devices, between C++ and C callers.
#pragma once

#include "peerpath/c/dma.h"
#include "peerpath/device/dma.hpp"

namespace peerpath::c {

inline void submit(const pp_bus& bus, void* host, const fabric::Transaction& t, const device::Content& content) {
  const auto purpose = content.counted ? static_cast<pp_purpose>(t.purpose) : PP_UNCOUNTED;
  if (t.op == pcie::Operation::memory_read)
    bus.read(host, t.cookie, t.address, static_cast<std::size_t>(t.bytes.count()), purpose);
  else
    bus.write(host, t.cookie, t.address, content.bytes.data(), content.bytes.size(), content.flag_at, purpose);
}

/// The delivery of a transaction. Its kind is left out: the device knows it by the cookie.
inline fabric::Delivery delivery(std::uint64_t cookie, bool success, Instant done) {
  fabric::Delivery d;
  d.status = success ? pcie::Status::success : pcie::Status::unsupported_request;
  d.cookie = cookie;
  d.done = done;
  return d;
}

}  // namespace peerpath::c
