#include "collective/workload.hpp"

#include <algorithm>

namespace peerpath::collective {
namespace {

/// All bytes that go round: an AllGather's members each bring in a part of them.
Bytes whole(const Operation& operation, std::uint32_t members) {
  const auto bytes = operation.kind == Exchange::all_gather ? operation.bytes * members : operation.bytes;
  return std::max(bytes, Bytes{2 * std::int64_t{members}});
}

/// Into how many parts a rank's bytes are divided before they are cut into slices.
std::uint32_t parts_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config) {
  if (operation.kind == Exchange::broadcast) return 1;
  return operation.kind == Exchange::all_reduce && config.all_reduce == Algorithm::tree ? 2 : members;
}

std::uint32_t slices_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config) {
  const auto part = whole(operation, members).count() / parts_of(operation, members, config);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(part / config.least_slice.count(), 1, config.slices));
}

Schedule unsliced(const Operation& operation, std::uint32_t members, const WorkloadConfig& config) {
  const auto bytes = whole(operation, members);
  switch (operation.kind) {
    case Exchange::all_reduce:
      return config.all_reduce == Algorithm::tree ? tree_all_reduce(members, bytes) : ring_all_reduce(members, bytes);
    case Exchange::all_gather:
      return ring_all_gather(members, bytes);
    case Exchange::reduce_scatter:
      return ring_reduce_scatter(members, bytes);
    case Exchange::all_to_all:
      return all_to_all(members, bytes, static_cast<std::uint32_t>(config.window));
    case Exchange::broadcast:
      return chain_broadcast(members, bytes, operation.root);
    case Exchange::message:
      return {{0, 1, operation.bytes}};
  }
  return {};
}

}  // namespace

Schedule schedule_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config) {
  auto schedule = unsliced(operation, members, config);
  if (operation.kind == Exchange::all_to_all || operation.kind == Exchange::message) return schedule;
  return in_slices(schedule, slices_of(operation, members, config));
}

std::uint64_t messages_of(const Operation& operation, std::uint32_t members, const WorkloadConfig& config) {
  if (operation.kind == Exchange::message) return 1;
  const std::uint64_t others = members - 1;
  if (operation.kind == Exchange::all_to_all) return others * members;
  const auto slices = slices_of(operation, members, config);
  if (operation.kind == Exchange::broadcast) return others * slices;
  if (operation.kind != Exchange::all_reduce) return others * members * slices;
  return config.all_reduce == Algorithm::tree ? 4 * others * slices : 2 * others * members * slices;
}

}  // namespace peerpath::collective
