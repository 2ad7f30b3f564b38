#include "collective/workload.hpp"

#include <algorithm>

namespace peerpath::collective {
namespace {

/// All bytes that go round: an AllGather's members each bring in a part of them.
Bytes whole(const Operation& operation, std::uint32_t members) {
  const auto bytes = operation.kind == Exchange::all_gather ? operation.bytes * members : operation.bytes;
  return std::max(bytes, Bytes{2 * std::int64_t{members}});
}

Pattern pattern_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config) {
  Pattern out{.kind = operation.kind, .ranks = members, .root = operation.root};
  out.bytes = operation.kind == Exchange::message ? operation.bytes : whole(operation, members);
  out.window = static_cast<std::uint32_t>(config.window);
  if (operation.kind == Exchange::all_reduce) out.algorithm = config.all_reduce;
  return out;
}

/// Into how many parts a rank's bytes are divided before they are cut into slices.
std::uint32_t parts_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config) {
  if (operation.kind == Exchange::broadcast || operation.kind == Exchange::reduce) return 1;
  return operation.kind == Exchange::all_reduce && config.all_reduce == Algorithm::tree ? 2 : members;
}

std::uint32_t slices_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config) {
  if (!goes_in_slices(operation.kind)) return 1;
  const auto part = whole(operation, members).count() / parts_of(operation, members, config);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(part / config.least_slice.count(), 1, config.slices));
}

}  // namespace

Schedule schedule_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config) {
  auto pattern = pattern_of(operation, members, config);
  pattern.slices = slices_of(operation, members, config);
  return schedule_of(pattern);
}

std::uint64_t messages_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config) {
  const std::uint64_t others = members - 1, slices = slices_of(operation, members, config);
  switch (operation.kind) {
    case Exchange::message:
      return 1;
    case Exchange::all_reduce:
      return config.all_reduce == Algorithm::tree ? 4 * others * slices : 2 * others * members * slices;
    case Exchange::all_gather:
    case Exchange::reduce_scatter:
    case Exchange::all_to_all:
      return others * members * slices;
    default:
      return others * slices;
  }
}

}  // namespace peerpath::collective
