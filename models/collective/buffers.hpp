// NCCL's buffers of a connection, and messages that go through them in slices.
#pragma once

#include <array>
#include <tuple>

#include "collective/pattern.hpp"

namespace peerpath::collective {

/// How NCCL divides what goes over a connection. A buffer has `steps` slots; the sender copies a slice into its own
/// buffer when the slots there are free, and it goes when its receiver has cleared as many slots, which that does when
/// it has copied on what was in them. So a sender is at most a buffer ahead of its receiver.
struct Buffers {
  Bytes size{4 << 20};
  int steps = 8;
  int slice_steps = 2;
  int chunk_steps = 4;

  Bytes slice() const { return Bytes{size.count() * slice_steps / steps}; }
  Bytes chunk() const { return Bytes{size.count() * chunk_steps / steps}; }
  int slots() const { return steps / slice_steps; }  ///< slices

  static constexpr auto fields() {
    using C = Buffers;
    return std::tuple{
        field("size", &C::size, "Buffer size per connection of a channel, on each side")
            .at_least(Bytes{4096})
            .at_most(Bytes{1 << 30})
            .from("NCCL_BUFFSIZE"),
        field("steps", &C::steps, "Number of slots in a buffer").at_least(1).at_most(256).from("NCCL_STEPS"),
        field("slice_steps", &C::slice_steps, "Slots per slice; a slice is sent as one message")
            .at_least(1)
            .at_most(256)
            .from("NCCL, ALLREDUCE_SLICESTEPS"),
        field("chunk_steps", &C::chunk_steps,
              "Slots per chunk; a ring or tree moves one chunk of each part at a time, slice by slice")
            .at_least(1)
            .at_most(256)
            .from("NCCL, ALLREDUCE_CHUNKSTEPS")};
  }
};

/// What NCCL puts beside the data so that receivers need no other sign.
enum class Protocol : std::uint8_t {
  simple,  ///< nothing
  LL,      ///< a flag of 4 bytes behind each 4
  LL128    ///< a flag of 8 bytes behind each 120
};
constexpr std::array<EnumName<Protocol>, 3> enum_names(Protocol) {
  return {{{"Simple", Protocol::simple}, {"LL", Protocol::LL}, {"LL128", Protocol::LL128}}};
}

/// Whether ranks copy on what comes in as it comes. Else they keep it in memory of their own, and its slots are free
/// when it has arrived.
bool goes_in_chunks(const Pattern& pattern);

/// The pattern chunk by chunk, its messages in slices: parts of a ring or of trees that do not fit a chunk go in
/// several rounds, one behind the other.
Schedule in_chunks(const Pattern& pattern, const Buffers& buffers);

/// Messages that are larger than `most`, and so much `more`, in pieces; each waits for that piece of another message
/// that brings as much of it.
Schedule cut(const Schedule& whole, Bytes most, Bytes more);

/// With the protocol's flags.
Schedule with_flags(Schedule schedule, Protocol protocol);

}  // namespace peerpath::collective
