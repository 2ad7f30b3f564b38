// Collectives of a network scenario, and jobs from execution traces.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "collective/buffers.hpp"
#include "collective/connections.hpp"
#include "collective/workload.hpp"
#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_scenario {

using namespace literals;
using namespace std::chrono_literals;

/// A collective of many ranks, once.
struct Collective {
  std::string name;
  collective::Exchange kind = collective::Exchange::all_reduce;
  collective::Algorithm algorithm = collective::Algorithm::ring;
  std::vector<std::string> hosts{};
  Bytes bytes = 64_MiB;
  bool hierarchical = false;
  int root = 0;
  std::vector<Bytes> sizes{};
  Bytes token{};
  int skew = 0;
  int rings = 1;
  int channels = 1;
  int slices = 8;
  std::optional<collective::Buffers> buffers{};
  collective::Protocol protocol = collective::Protocol::simple;
  int qps = 1;
  collective::QpUse qp_use = collective::QpUse::round_robin;
  int window = 4;
  int clear_to_send = 0;
  Duration start{};

  static constexpr auto fields() {
    using C = Collective;
    return std::tuple{
        field("name", &C::name, "Name in metrics"),
        field("kind", &C::kind, "Kind of collective"),
        field("algorithm", &C::algorithm,
              "ring: one pass, all_reduce two; broadcast and reduce along a chain, gather and scatter directly from or "
              "to the root. tree: all_reduce over two binary trees, broadcast and reduce over a binomial tree"),
        field("hosts", &C::hosts, "Hosts in rank order; h0..h7 names eight"),
        field("bytes", &C::bytes,
              "Bytes per rank as nccl-tests counts them; all_gather: size of the result; gather: size of the result at "
              "the root")
            .at_least(1_KiB)
            .at_most(64_GiB),
        field("hierarchical", &C::hierarchical,
              "all_reduce, all_gather, reduce_scatter: NVLink rings within each of `servers`, and a ring or trees "
              "between servers for each GPU index. all_to_all: messages first move to the GPU on the destination's "
              "rail over NVLink (PXN) and are sent together"),
        field("root", &C::root, "broadcast, reduce, gather, scatter: index of the root in `hosts`")
            .at_least(0)
            .at_most(most_names),
        field("sizes", &C::sizes,
              "all_to_all: message sizes as a matrix in row order: first host to all, second host to all, and so on. "
              "Absent: `bytes` in equal parts"),
        field("token", &C::token,
              "all_to_all: token size; `bytes` consists of tokens that each go to a random host, as in a "
              "mixture-of-experts layer with one expert per host. 0: equal parts")
            .at_least(0_B)
            .at_most(64_MiB),
        field("skew", &C::skew,
              "With `token`: Zipf exponent of expert popularity, so that the k-th most popular receives 1 / k^skew; 0: "
              "uniform")
            .at_least(0)
            .at_most(3),
        field("rings", &C::rings,
              "all_reduce, all_gather, reduce_scatter: number of rings or trees, each over every rings-th host with an "
              "equal share of the bytes; models NCCL channels that use one NIC per server each")
            .at_least(1)
            .at_most(16),
        field("channels", &C::channels,
              "Parallel copies of each ring, each with its own queue pairs and an equal share of the bytes")
            .at_least(1)
            .at_most(64),
        field("slices", &C::slices,
              "Without `buffers`: number of pipelined slices; not used by all_to_all, gather and scatter")
            .at_least(1)
            .at_most(1024)
            .from("NCCL_STEPS"),
        field("buffers", &C::buffers,
              "NCCL buffers: messages are sent in slices, and a sender is at most one buffer ahead of its receiver. "
              "Absent: unlimited"),
        field("protocol", &C::protocol,
              "NCCL protocol. Simple: no overhead; LL: as many bytes of flags as data; LL128: 8 of every 128 bytes are "
              "flags")
            .from("NCCL_PROTO"),
        field("qps", &C::qps, "Queue pairs per connection").at_least(1).at_most(64),
        field("qp_use", &C::qp_use, "Distribution of messages over the queue pairs"),
        field("window", &C::window, "all_to_all, scatter: messages in flight per rank").at_least(1).at_most(1024),
        field(
            "clear_to_send", &C::clear_to_send,
            "Messages that a receiver admits at a time, each with a 64 B message in priority 5; 0: senders do not wait")
            .at_least(0)
            .at_most(1024),
        field("start", &C::start, "Start time").at_most(10s)};
  }
};

/// Traces of a job's ranks, read from files and played once.
struct TraceEntry {
  std::string name, file;
  std::vector<std::string> hosts{};
  collective::Algorithm all_reduce = collective::Algorithm::ring;
  int slices = 8;
  Bytes least_slice = 64_KiB;
  int qps = 1;
  collective::QpUse qp_use = collective::QpUse::round_robin;
  int window = 4;
  int clear_to_send = 0;
  Duration start{};

  static constexpr auto fields() {
    using C = TraceEntry;
    return std::tuple{
        field("name", &C::name, "Name in metrics"),
        field("file", &C::file,
              "Execution trace of each rank, relative to this file; {rank} is replaced by the rank number from 0, "
              "without it all ranks share one file. MLCommons Chakra protobuf, or JSON with the same nodes if the name "
              "ends in .json"),
        field("hosts", &C::hosts, "Hosts in rank order; h0..h7 names eight"),
        field("all_reduce", &C::all_reduce, "Algorithm of every AllReduce"),
        field("slices", &C::slices, "Maximum number of pipelined slices; not used by ALL_TO_ALL")
            .at_least(1)
            .at_most(1024)
            .from("NCCL_STEPS"),
        field("least_slice", &C::least_slice, "Minimum size of a slice").at_least(1_B).from("assumed"),
        field("qps", &C::qps, "Queue pairs per connection").at_least(1).at_most(64),
        field("qp_use", &C::qp_use, "Distribution of messages over the queue pairs"),
        field("window", &C::window, "ALL_TO_ALL: messages in flight per rank").at_least(1).at_most(1024),
        field("clear_to_send", &C::clear_to_send,
              "Messages of a collective that a receiver admits at a time, each with a 64 B message in priority 5; a "
              "point-to-point message waits until its receive is posted. 0: senders do not wait")
            .at_least(0)
            .at_most(1024),
        field("start", &C::start, "Start time").at_most(10s)};
  }

  collective::WorkloadConfig workload_config() const {
    return {.all_reduce = all_reduce, .slices = slices, .window = window, .least_slice = least_slice};
  }
};

}  // namespace peerpath::network_scenario
