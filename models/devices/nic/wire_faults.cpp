#include "devices/nic/wire_faults.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/device/endpoint.hpp"
#include "peerpath/net/headers.hpp"

namespace peerpath::nic {

void WireFaults::take(std::span<const std::uint8_t> frame, const Deliver& deliver) {
  if (faults_.empty() && late_.empty()) return deliver(frame);
  const auto head = frame.first(std::min<std::size_t>(frame.size(), device::Frame::header_capacity));
  const auto parsed = net::parse(head, Bytes{static_cast<std::int64_t>(frame.size())});
  if (parsed.error != net::ParseError::none || parsed.payload <= Bytes{0}) return deliver(frame);
  const auto fault = faults_.extract(++frames_);
  const auto late = std::exchange(late_, {});
  if (fault.empty()) {
    deliver(frame);
  } else if (fault.mapped() == WireFault::corrupt) {
    std::vector<std::uint8_t> damaged(frame.begin(), frame.end());
    const auto end = static_cast<std::size_t>(parsed.header_length + parsed.payload.count());
    auto& byte = damaged[std::min(end, damaged.size()) - 1];
    byte = static_cast<std::uint8_t>(~byte);
    deliver(damaged);
  } else if (fault.mapped() == WireFault::reorder) {
    late_.assign(frame.begin(), frame.end());
  }
  if (!late.empty()) deliver(late);
}

}  // namespace peerpath::nic
