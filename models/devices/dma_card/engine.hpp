// How long the DMA engine of a card is busy with a transfer. The model card is README.md beside this.
#pragma once

#include <cstdint>

#include "devices/dma_card/config.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::dma_card {

/// The internal bus moves card memory in bursts of 128 B and beats of 32 B, two of which are a line.
inline constexpr std::int64_t chunk_bytes = 128, line_bytes = 64, beat_bytes = 32;

/// The engine with a write: each chunk is one burst, and the last one takes a second command when it holds two lines.
Duration write_occupancy(const device::DmaCardConfig& config, Bytes size);

/// A third of that second command passes during the first one: writes of 128 and 256 B take 3.1 and 2.6 ns longer than
/// those of 65 and 129 B, where a command takes 4.6 ns. A read that gets the bus in between undoes it.
Duration overlap(const device::DmaCardConfig& config, Bytes size);

/// The engine with a read: a command for each line of a request of at most one MPS, one for a longer one, which
/// streams. A partial double word is merged: at least two lines' worth of beats, and a cycle of its own.
Duration read_occupancy(const device::DmaCardConfig& config, std::uint64_t address, Bytes size);

/// From the engine's taking up a read to its first request: a command, and for more than one line two lines' worth of
/// beats.
Duration read_lead(const device::DmaCardConfig& config, Bytes size);

/// What a read takes from the bus that writes use: a beat for each whole chunk of the first KiB of each request.
Duration read_share_of_write_bus(const device::DmaCardConfig& config, Bytes size);

/// Whole lines that a transfer has.
Bytes in_lines(Bytes size);

/// Whether a read is one of a batch (`ReadLimits`): more than a line, and at most one MPS; longer ones stream.
bool comes_in_batches(const device::DmaCardConfig& config, Bytes size);

/// Storing what was read in card memory, after its last completion.
Duration store_time(const device::DmaCardConfig& config, Bytes size);

}  // namespace peerpath::dma_card
