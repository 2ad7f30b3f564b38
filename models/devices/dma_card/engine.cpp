#include "devices/dma_card/engine.hpp"

#include <algorithm>

namespace peerpath::dma_card {
namespace {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Two lines' worth: what a read of more than a line leaves later by, and what one with a partial double word takes.
constexpr std::int64_t least_beats = 2 * line_bytes / beat_bytes;

/// A beat is six cycles of the card's 1.2 GHz.
constexpr int beat_cycles = 6;

/// What a request reads beyond this does not delay writes.
constexpr std::int64_t most_shared_bytes = 1024;

bool takes_second_command(Bytes size) {
  const auto last = size.count() - (std::max<std::int64_t>(1, ceil_div(size.count(), chunk_bytes)) - 1) * chunk_bytes;
  return last > chunk_bytes - beat_bytes;
}

}  // namespace

Duration overlap(const device::DmaCardConfig& config, Bytes size) {
  return takes_second_command(size) ? config.command / 3 : Duration{};
}

Duration write_occupancy(const device::DmaCardConfig& config, Bytes size) {
  const auto chunks = std::max<std::int64_t>(1, ceil_div(size.count(), chunk_bytes));
  const auto commands = (takes_second_command(size) ? 2 : 1) * config.command - overlap(config, size);
  return std::max(config.write_issue, chunks * config.write_chunk + commands);
}

Duration read_occupancy(const device::DmaCardConfig& config, std::uint64_t address, Bytes size) {
  const auto mrrs = config.function.max_read_request.count();
  Duration total{};
  auto left = size.count();
  for (auto at = static_cast<std::int64_t>(address % static_cast<std::uint64_t>(mrrs)); left > 0; at = 0) {
    const auto request = std::min(left, mrrs - at);
    left -= request;
    total += (request <= config.function.max_payload.count() ? ceil_div(request, line_bytes) : 1) * config.command;
  }
  if (size <= config.function.max_payload && size.count() % 4 != 0)
    total = std::max(total, config.command + least_beats * config.read_beat) + config.read_beat / beat_cycles;
  return std::max(config.read_issue, total);
}

Duration read_lead(const device::DmaCardConfig& config, Bytes size) {
  return size.count() > line_bytes ? config.command + least_beats * config.read_beat : config.command;
}

Duration read_share_of_write_bus(const device::DmaCardConfig& config, Bytes size) {
  const auto mrrs = config.function.max_read_request.count();
  std::int64_t beats = 0;
  for (auto left = size.count(); left > 0; left -= mrrs)
    beats += std::min({left, mrrs, most_shared_bytes}) / chunk_bytes;
  return beats * config.read_beat;
}

Bytes in_lines(Bytes size) { return Bytes{ceil_div(size.count(), line_bytes) * line_bytes}; }

bool comes_in_batches(const device::DmaCardConfig& config, Bytes size) {
  return size.count() > line_bytes && size <= config.function.max_payload;
}

Duration store_time(const device::DmaCardConfig& config, Bytes size) {
  return ceil_div(size.count(), chunk_bytes) * config.store;
}

}  // namespace peerpath::dma_card
