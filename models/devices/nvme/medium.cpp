#include "devices/nvme/medium.hpp"

#include <algorithm>

namespace peerpath::nvme {

Medium::Turn Medium::take(Opcode opcode, Bytes size, Instant now) {
  const bool read = opcode == Opcode::read;
  const auto rate = read ? config_.read_rate : config_.write_rate;
  const auto iops = read ? config_.read_iops : config_.write_iops;
  const Duration command = iops == 0 ? Duration{0} : Duration{std::chrono::seconds{1}} / iops;
  const auto begin = std::max(now, free_);
  free_ = begin + std::max(size / rate, command);
  busy_.forget(now - host::longest_way);
  busy_.book(begin, free_);
  return {begin + (read ? config_.read_latency : config_.write_latency), rate};
}

}  // namespace peerpath::nvme
