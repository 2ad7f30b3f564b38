#include "scenario/network/execution_trace/join.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "scenario/network/execution_trace/find_circle.hpp"

namespace peerpath::network_scenario {
namespace {

using collective::Exchange;
using collective::Operation;
using collective::Task;

constexpr std::size_t most_problems = 50;
constexpr std::int64_t longest_micros = 1'000'000'000;
constexpr std::int64_t most_bytes = 0x7fffffff;  ///< of a message

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// What a collective is to us.
Exchange exchange_of(CommType type) {
  switch (type) {
    case CommType::all_reduce:
    case CommType::barrier:
      return Exchange::all_reduce;
    case CommType::all_gather:
      return Exchange::all_gather;
    case CommType::reduce_scatter:
    case CommType::reduce_scatter_block:
      return Exchange::reduce_scatter;
    case CommType::all_to_all:
      return Exchange::all_to_all;
    case CommType::broadcast:
      return Exchange::broadcast;
    case CommType::reduce:
      return Exchange::reduce;
    case CommType::gather:
      return Exchange::gather;
    case CommType::scatter:
      return Exchange::scatter;
  }
  return Exchange::all_reduce;
}

bool is_communication(const ExecutionNode& node) {
  return !node.is_cpu_op &&
         (node.type == NodeType::collective || node.type == NodeType::send || node.type == NodeType::receive);
}

class Joiner {
 public:
  Joiner(const std::vector<RankTrace>& traces, const JoinOptions& options) : traces_{traces}, options_{options} {}

  tl::expected<collective::Workload, Problems> join() {
    out_.ranks.resize(traces_.size());
    for (std::uint32_t r = 0; r < traces_.size(); ++r) tasks(r);
    if (problems_.empty()) collectives();
    if (problems_.empty()) messages();
    if (problems_.empty()) circle();
    if (!problems_.empty()) return tl::unexpected{std::move(problems_)};
    return std::move(out_);
  }

 private:
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(traces_.size()); }
  const ExecutionNode& node_of(TaskName name) const { return *nodes_[name.rank][name.task]; }
  Task& task_of(TaskName name) { return out_.ranks[name.rank][name.task]; }

  void add(TaskName name, const std::string& what) {
    if (problems_.size() >= most_problems) return;
    const auto& node = node_of(name);
    problems_.push_back({traces_[name.rank].file, node.line, node.column, "node " + std::to_string(node.id), what});
  }
  std::string called(TaskName name) const {
    return "rank " + std::to_string(name.rank) + "'s node " + std::to_string(node_of(name).id);
  }

  /// A rank's nodes in the order of their ids, and what they wait for.
  void tasks(std::uint32_t r) {
    auto& nodes = nodes_.emplace_back();
    for (const auto& node : traces_[r].nodes) nodes.push_back(&node);
    std::ranges::stable_sort(nodes, {}, &ExecutionNode::id);
    out_.ranks[r].resize(nodes.size());
    for (std::uint32_t t = 0; t < nodes.size(); ++t) {
      if (t > 0 && nodes[t]->id == nodes[t - 1]->id) add({r, t}, "another node of this rank has that id");
      if (nodes[t]->duration_micros > longest_micros) add({r, t}, "duration_micros is above 1000 s");
      dependencies({r, t});
      const auto kind = kind_of(*nodes[t]);
      task_of({r, t}).kind = kind;
      if (kind == Task::Kind::gpu || kind == Task::Kind::cpu)
        task_of({r, t}).time = std::chrono::microseconds{std::min(nodes[t]->duration_micros, longest_micros)};
    }
  }

  static Task::Kind kind_of(const ExecutionNode& node) {
    if (is_communication(node)) return Task::Kind::exchange;
    if (node.type == NodeType::invalid || node.type == NodeType::metadata) return Task::Kind::nothing;
    const bool by_cpu = node.type >= NodeType::storage || node.is_cpu_op;
    return by_cpu ? Task::Kind::cpu : Task::Kind::gpu;
  }

  void dependencies(TaskName name) {
    const auto& nodes = nodes_[name.rank];
    const auto& node = node_of(name);
    for (const auto* list : {&node.ctrl_deps, &node.data_deps})
      for (const auto id : *list) {
        const auto found = std::ranges::lower_bound(nodes, id, {}, &ExecutionNode::id);
        const bool known = found != nodes.end() && (*found)->id == id;
        // Converters of PyTorch's traces leave out operators that only call others, and not what names them.
        if (!known && list == &node.ctrl_deps)
          ++out_.left_out;
        else if (!known)
          add(name, "waits for node " + std::to_string(id) + ", which this rank does not have");
        else
          task_of(name).after.push_back(static_cast<std::uint32_t>(found - nodes.begin()));
      }
  }

  std::uint32_t group(const std::vector<std::uint32_t>& members) {
    const auto next = static_cast<std::uint32_t>(out_.groups.size());
    const auto [found, is_new] = groups_.try_emplace(members, next);
    if (is_new) out_.groups.push_back(members);
    return found->second;
  }

  void operation(Operation operation) {
    const auto& members = out_.groups[operation.group];
    for (std::uint32_t place = 0; place < members.size(); ++place) {
      auto& task = task_of({members[place], operation.tasks[place]});
      task.operation = static_cast<std::uint32_t>(out_.operations.size());
      task.place = place;
    }
    out_.operations.push_back(std::move(operation));
  }

  void collectives() {
    // By process group and rank: its collectives.
    std::map<std::string, std::map<std::uint32_t, std::vector<std::uint32_t>>> found;
    for (std::uint32_t r = 0; r < ranks(); ++r)
      for (std::uint32_t t = 0; t < nodes_[r].size(); ++t)
        if (is_communication(*nodes_[r][t]) && nodes_[r][t]->type == NodeType::collective)
          found[nodes_[r][t]->pg_name][r].push_back(t);
    for (const auto& [name, by_rank] : found) {
      std::vector<std::uint32_t> members;
      std::size_t most = 0;
      for (const auto& [r, tasks] : by_rank) {
        members.push_back(r);
        most = std::max(most, tasks.size());
      }
      for (std::size_t number = 0; number < most; ++number) collective(name, by_rank, members, number);
    }
  }

  /// One of a process group, at all of its ranks.
  void collective(const std::string& name, const std::map<std::uint32_t, std::vector<std::uint32_t>>& by_rank,
                  const std::vector<std::uint32_t>& members, std::size_t number) {
    const auto has_it = std::ranges::find_if(by_rank, [&](const auto& of) { return of.second.size() > number; });
    const TaskName first{has_it->first, has_it->second[number]};
    Operation out{.group = group(members)};
    for (const auto& [r, tasks] : by_rank) {
      if (tasks.size() <= number)
        return add(first, "is collective " + std::to_string(number + 1) + " of process group " + quoted(name) +
                              ", and rank " + std::to_string(r) + " has " + std::to_string(tasks.size()) + " of it");
      const TaskName here{r, tasks[number]};
      if (!alike(first, here)) return;
      // NCCL launches the collectives of one communicator on one stream.
      if (number > 0) task_of(here).after.push_back(tasks[number - 1]);
      out.tasks.push_back(here.task);
    }
    if (describe(first, members, out)) operation(std::move(out));
  }

  bool alike(TaskName first, TaskName here) {
    const auto &a = node_of(first), &b = node_of(here);
    if (a.comm_type != b.comm_type)
      add(here, "is " + std::string{name_of(b.comm_type)} + ", and " + called(first) + " of the same collective is " +
                    std::string{name_of(a.comm_type)});
    else if (a.comm_size != b.comm_size)
      add(here, "has comm_size " + std::to_string(b.comm_size) + ", and " + called(first) +
                    " of the same collective has " + std::to_string(a.comm_size));
    else if (a.root_rank != b.root_rank)
      add(here, "has another root_rank than " + called(first) + " of the same collective");
    else
      return true;
    return false;
  }

  bool describe(TaskName first, const std::vector<std::uint32_t>& members, Operation& out) {
    const auto& node = node_of(first);
    const bool is_barrier = node.comm_type == CommType::barrier;
    if (node.comm_size <= 0 && !is_barrier) add(first, "has no comm_size");
    out.kind = exchange_of(node.comm_type);
    out.bytes = Bytes{is_barrier ? 1 : node.comm_size};
    if (node.root_rank != ExecutionNode::absent) {
      const auto root = std::ranges::find(members, node.root_rank);
      if (root == members.end()) add(first, "root_rank " + std::to_string(node.root_rank) + " is not in its group");
      out.root = static_cast<std::uint32_t>(root - members.begin());
    }
    if (largest_message(out, members.size()) > most_bytes) add(first, "would be messages of more than 2 GiB");
    return problems_.empty();
  }

  std::int64_t largest_message(const Operation& operation, std::size_t members) const {
    const auto bytes = std::min(operation.bytes.count(), std::int64_t{1} << 50);
    if (operation.kind == Exchange::all_gather || operation.kind == Exchange::broadcast ||
        operation.kind == Exchange::reduce)
      return bytes;
    const bool tree =
        operation.kind == Exchange::all_reduce && options_.config.all_reduce == collective::Algorithm::tree;
    const auto parts = tree ? 2 : static_cast<std::int64_t>(members);
    return bytes / parts + parts;  // the last takes what is left over
  }

  /// Sends, and receives, with one source, destination and tag.
  struct Matched {
    std::vector<TaskName> sends{}, receives{};
  };

  void messages() {
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Matched> found;
    for (std::uint32_t r = 0; r < ranks(); ++r)
      for (std::uint32_t t = 0; t < nodes_[r].size(); ++t) {
        const auto& node = *nodes_[r][t];
        if (!is_communication(node) || node.type == NodeType::collective) continue;
        const bool sends = node.type == NodeType::send;
        const auto from = sends ? std::int64_t{r} : node.comm_src, to = sends ? node.comm_dst : std::int64_t{r};
        if (!fits({r, t}, sends)) continue;
        auto& matched = found[{from, to, node.comm_tag}];
        (sends ? matched.sends : matched.receives).push_back({r, t});
      }
    for (const auto& [key, matched] : found) match(matched);
  }

  bool fits(TaskName name, bool sends) {
    const auto& node = node_of(name);
    const auto own = sends ? node.comm_src : node.comm_dst, other = sends ? node.comm_dst : node.comm_src;
    const std::string own_key = sends ? "comm_src" : "comm_dst", key = sends ? "comm_dst" : "comm_src";
    const auto before = problems_.size();
    if (own != ExecutionNode::absent && own != name.rank)
      add(name, own_key + " " + std::to_string(own) + " is not the rank itself, " + std::to_string(name.rank));
    if (other < 0 || other >= ranks())
      add(name, key + (other == ExecutionNode::absent ? " is missing" : " " + std::to_string(other) + " is no rank") +
                    "; there are " + std::to_string(ranks()));
    if (other == name.rank) add(name, key + " is the rank itself");
    if (node.comm_size <= 0) add(name, "has no comm_size");
    if (node.comm_size > most_bytes) add(name, "is a message of more than 2 GiB");
    return problems_.size() == before;
  }

  void match(const Matched& matched) {
    const auto pairs = std::min(matched.sends.size(), matched.receives.size());
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto send = matched.sends[i], receive = matched.receives[i];
      const auto bytes = node_of(send).comm_size;
      if (bytes != node_of(receive).comm_size)
        add(receive, "has comm_size " + std::to_string(node_of(receive).comm_size) + ", and " + called(send) +
                         ", which sends it, " + std::to_string(bytes));
      operation({.kind = Exchange::message,
                 .group = group({send.rank, receive.rank}),
                 .bytes = Bytes{bytes},
                 .tasks = {send.task, receive.task}});
    }
    if (matched.sends.size() > pairs)
      add(matched.sends[pairs], "is a send that no receive belongs to: rank " +
                                    std::to_string(node_of(matched.sends[pairs]).comm_dst) + " has " +
                                    counted(pairs, "receive") + " with its tag");
    if (matched.receives.size() > pairs)
      add(matched.receives[pairs], "is a receive that no send belongs to: rank " +
                                       std::to_string(node_of(matched.receives[pairs]).comm_src) + " has " +
                                       counted(pairs, "send") + " with its tag");
  }

  void circle() {
    constexpr std::size_t shown = 8;
    const auto circle = find_circle(out_, options_.cleared);
    if (circle.empty()) return;
    std::string words = "waits for itself";
    for (std::size_t i = 1; i < std::min(circle.size(), shown); ++i)
      words += (i == 1 ? ", over " : ", ") + called(circle[i]);
    if (circle.size() > shown) words += " and " + std::to_string(circle.size() - shown) + " more";
    add(circle.front(), words + "; collectives of one process group go in the order of their ids");
  }

  const std::vector<RankTrace>& traces_;
  JoinOptions options_;
  collective::Workload out_;
  Problems problems_;
  std::vector<std::vector<const ExecutionNode*>> nodes_;  ///< by rank, in the order of ids
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
};

}  // namespace

tl::expected<collective::Workload, Problems> join(const std::vector<RankTrace>& traces, const JoinOptions& options) {
  return Joiner{traces, options}.join();
}

}  // namespace peerpath::network_scenario
