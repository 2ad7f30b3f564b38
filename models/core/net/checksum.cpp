#include "peerpath/net/checksum.hpp"

namespace peerpath::net {

void InternetChecksum::add(std::span<const std::uint8_t> bytes) {
  std::size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) sum_ += static_cast<unsigned>(bytes[i] << 8 | bytes[i + 1]);
  if (i < bytes.size()) sum_ += static_cast<unsigned>(bytes[i] << 8);
}

std::uint16_t InternetChecksum::folded() const {
  std::uint64_t sum = sum_;
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

}  // namespace peerpath::net
