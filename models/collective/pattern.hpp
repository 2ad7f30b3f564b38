// Collectives by a few numbers: one table for scenarios and for jobs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "collective/schedule.hpp"
#include "peerpath/base/field.hpp"

namespace peerpath::collective {

/// What ranks do together. A message has no name: jobs have it, scenarios call it rdma.
enum class Exchange : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  message
};
constexpr std::array<EnumName<Exchange>, 8> enum_names(Exchange) {
  return {{{"all_reduce", Exchange::all_reduce},
           {"all_gather", Exchange::all_gather},
           {"reduce_scatter", Exchange::reduce_scatter},
           {"all_to_all", Exchange::all_to_all},
           {"broadcast", Exchange::broadcast},
           {"reduce", Exchange::reduce},
           {"gather", Exchange::gather},
           {"scatter", Exchange::scatter}}};
}

/// By which way. `ring`: round, or along a chain to or from the root; gather and scatter: straight to and from it.
/// `tree`: an AllReduce over two binary trees, what has a root over a binomial one.
enum class Algorithm : std::uint8_t { ring, tree };
constexpr std::array<EnumName<Algorithm>, 2> enum_names(Algorithm) {
  return {{{"ring", Algorithm::ring}, {"tree", Algorithm::tree}}};
}

/// One collective. Bytes are as nccl-tests counts them: all that a rank has in the end of an AllGather or has in the
/// beginning of a ReduceScatter, an AlltoAll or a scatter, and all that the root has in the end of a gather.
struct Pattern {
  Exchange kind = Exchange::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  std::uint32_t ranks = 2;
  Bytes bytes{};
  std::uint32_t root = 0;
  std::uint32_t window = 4;    ///< AlltoAll and scatter: messages of a rank that are on their way at a time
  std::uint32_t server = 1;    ///< ranks of a server, which have links of their own between them; 1: it is flat
  std::uint32_t slices = 1;    ///< in which messages go one behind the other, where `goes_in_slices`
  std::vector<Bytes> sizes{};  ///< AlltoAll: of each message, [from * ranks + to]; none: `bytes` are divided evenly

  bool is_rooted() const { return kind >= Exchange::broadcast && kind <= Exchange::scatter; }
};

/// Why such a collective is not played; "" if it is.
std::string not_played(Exchange kind, Algorithm algorithm, bool hierarchical);

/// Whether its messages may be cut into slices that go one behind the other; of the rest each goes whole.
constexpr bool goes_in_slices(Exchange kind) {
  return kind <= Exchange::reduce_scatter || kind == Exchange::broadcast || kind == Exchange::reduce;
}

/// Its messages.
Schedule schedule_of(const Pattern& pattern);

/// Bytes that the busiest rank sends to other servers, or gets from them if that is more. `servers`: by rank.
Bytes busiest(const Schedule& schedule, const std::vector<std::uint32_t>& servers);

}  // namespace peerpath::collective
