// What the GPUs of a training job do: computing, and collectives and messages between them, in the order that their
// dependencies leave.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/pattern.hpp"

namespace peerpath::collective {

/// One exchange, with a task at each of its members.
struct Operation {
  Exchange kind = Exchange::all_reduce;
  std::uint32_t group = 0;             ///< of Workload::groups; a message goes from the first of two to the second
  Bytes bytes{};                       ///< that a rank brings in
  std::uint32_t root = 0;              ///< of what has one: place in the group
  std::vector<std::uint32_t> tasks{};  ///< by place in the group, at that rank
  bool operator==(const Operation&) const = default;
};

/// Something that one rank does when all of its tasks in `after` are over.
struct Task {
  enum class Kind : std::uint8_t {
    nothing,  ///< over at once
    gpu,
    cpu,      ///< keeps it busy for `time`; each has one such task at a time
    exchange  ///< its part of an operation
  };
  Kind kind = Kind::nothing;
  Duration time{};
  std::uint32_t operation = 0, place = 0;  ///< and the rank's place in its group
  std::vector<std::uint32_t> after{};      ///< of the same rank
};

struct Workload {
  std::vector<std::vector<Task>> ranks;
  std::vector<std::vector<std::uint32_t>> groups;  ///< ranks, in order
  std::vector<Operation> operations;
  std::size_t left_out = 0;  ///< dependencies on what nobody does, which a reader has left out
};

/// How operations become messages.
struct WorkloadConfig {
  Algorithm all_reduce = Algorithm::ring;
  int slices = 8;                ///< but none smaller than `least_slice`
  int window = 4;                ///< all_to_all: messages of a rank on their way at a time
  Bytes least_slice{64 * 1024};  ///< assumed
};

/// The messages of an operation of so many members. Each has a byte at least.
Schedule schedule_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config);
/// How many that are.
std::uint64_t messages_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config);

}  // namespace peerpath::collective
