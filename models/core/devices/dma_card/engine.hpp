// How long the DMA engine of a card is busy with a transfer. The model card is README.md beside this.
#pragma once

#include <cstdint>

#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/config.hpp"

namespace peerpath::dma_card {

/// The internal bus moves card memory in bursts of 128 B; reads pass it in beats of 32 B, a line is two of them.
inline constexpr std::int64_t chunk_bytes = 128, line_bytes = 64, beat_bytes = 32;

/// The engine with a write: each chunk is one burst, and the last one takes a second command when it holds two lines.
Duration write_occupancy(const device::DmaCardConfig& config, Bytes size);

/// The engine with a read: one command a request; requests of at most one MPS also pass beat by beat, and at least two
/// lines' worth of them unless the transfer is one line or less in whole double words; a partial double word is merged
/// in a cycle of its own. Longer requests stream.
Duration read_occupancy(const device::DmaCardConfig& config, std::uint64_t address, Bytes size);

/// From the engine's taking up a read to its first request: a command, and for more than one line the two lines' worth
/// of beats that such a read takes at least.
Duration read_lead(const device::DmaCardConfig& config, Bytes size);

/// What a read takes from the bus that writes use: a beat for each whole chunk of the first KiB of each request.
Duration read_share_of_write_bus(const device::DmaCardConfig& config, Bytes size);

/// What a read in flight takes of the card's buffer for reads: its lines, and a line and a half beside them. Those
/// longer than one MPS stream through: one MPS for each tag of them fills it.
Bytes read_buffer_taken(const device::DmaCardConfig& config, Bytes buffer, Bytes size);

/// Storing what was read in card memory, after its last completion.
Duration store_time(const device::DmaCardConfig& config, Bytes size);

}  // namespace peerpath::dma_card
