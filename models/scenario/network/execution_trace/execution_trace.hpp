// What one rank of a training job did, as an execution trace has it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "peerpath/base/field.hpp"

namespace peerpath::network_scenario {

/// MLCommons Chakra's NodeType; values are those of its files.
enum class NodeType : std::uint8_t {
  invalid,
  metadata,
  memory_load,
  memory_store,
  compute,
  send,
  receive,
  collective,
  storage,
  batch,
  checkpoint
};
constexpr std::array<EnumName<NodeType>, 11> enum_names(NodeType) {
  return {{{"INVALID_NODE", NodeType::invalid},
           {"METADATA_NODE", NodeType::metadata},
           {"MEM_LOAD_NODE", NodeType::memory_load},
           {"MEM_STORE_NODE", NodeType::memory_store},
           {"COMP_NODE", NodeType::compute},
           {"COMM_SEND_NODE", NodeType::send},
           {"COMM_RECV_NODE", NodeType::receive},
           {"COMM_COLL_NODE", NodeType::collective},
           {"STORAGE_NODE", NodeType::storage},
           {"BATCH_NODE", NodeType::batch},
           {"CHECKPOINT_NODE", NodeType::checkpoint}}};
}

/// Its CollectiveCommType, likewise.
enum class CommType : std::uint8_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  reduce_scatter_block,
  barrier
};
constexpr std::array<EnumName<CommType>, 10> enum_names(CommType) {
  return {{{"ALL_REDUCE", CommType::all_reduce},
           {"REDUCE", CommType::reduce},
           {"ALL_GATHER", CommType::all_gather},
           {"GATHER", CommType::gather},
           {"SCATTER", CommType::scatter},
           {"BROADCAST", CommType::broadcast},
           {"ALL_TO_ALL", CommType::all_to_all},
           {"REDUCE_SCATTER", CommType::reduce_scatter},
           {"REDUCE_SCATTER_BLOCK", CommType::reduce_scatter_block},
           {"BARRIER", CommType::barrier}}};
}

/// A node of a trace. In a plain JSON its keys are these.
struct ExecutionNode {
  static constexpr std::int64_t absent = -1;
  std::int64_t id = absent;
  std::string name;
  NodeType type = NodeType::invalid;
  std::vector<std::int64_t> ctrl_deps{}, data_deps{};
  std::int64_t duration_micros = 0;
  bool is_cpu_op = false;
  CommType comm_type = CommType::all_reduce;
  std::int64_t comm_size = 0;
  std::int64_t comm_src = absent, comm_dst = absent, comm_tag = 0, root_rank = absent;
  std::string pg_name;
  int line = 0, column = 0;  ///< in a JSON

  static constexpr auto fields() {
    using C = ExecutionNode;
    return std::tuple{
        field("id", &C::id, "Identifier of the node, unique within the rank").at_least(0),
        field("name", &C::name, "Name used in messages"),
        field("type", &C::type, "Kind of node"),
        field("ctrl_deps", &C::ctrl_deps, "Identifiers of nodes that must finish before this one starts"),
        field("data_deps", &C::data_deps,
              "Identifiers of nodes whose results this one uses; they must finish before it starts"),
        field("duration_micros", &C::duration_micros, "Duration of a compute or memory node, in microseconds")
            .at_least(0),
        field("is_cpu_op", &C::is_cpu_op, "Whether the node runs on the CPU; otherwise on the GPU"),
        field("comm_type", &C::comm_type, "Kind of collective"),
        field("comm_size", &C::comm_size, "Bytes contributed by this rank to a collective, or size of a message")
            .at_least(0),
        field("comm_src", &C::comm_src, "Rank that sends the message").at_least(absent),
        field("comm_dst", &C::comm_dst, "Rank that receives the message").at_least(absent),
        field("comm_tag", &C::comm_tag, "Tag that distinguishes messages between the same two ranks"),
        field("root_rank", &C::root_rank,
              "Root of a broadcast, reduce, gather or scatter; absent: the first rank of the group")
            .at_least(absent),
        field("pg_name", &C::pg_name, "Process group of a collective: all ranks with collectives of this name")};
  }
};

/// Of one rank, from one file.
struct RankTrace {
  std::string file;
  std::vector<ExecutionNode> nodes;
};

}  // namespace peerpath::network_scenario
