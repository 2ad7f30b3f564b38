#include "scenario/network/execution_trace/find_circle.hpp"

#include <algorithm>

namespace peerpath::network_scenario {
namespace {

using collective::Exchange;
using collective::Task;

/// What is over at one time: a task, or all tasks of an operation.
class Waits {
 public:
  Waits(const collective::Workload& workload, bool cleared) : workload_{workload}, cleared_{cleared} {
    number();
    causes_.resize(names_.size());
    for (std::uint32_t r = 0; r < workload.ranks.size(); ++r)
      for (std::uint32_t t = 0; t < workload.ranks[r].size(); ++t)
        for (const auto cause : workload.ranks[r][t].after) causes_[of_[r][t]].push_back(of_[r][cause]);
    for (const auto& operation : workload.operations) {
      const auto& group = workload.groups[operation.group];
      if (operation.kind == Exchange::message && !cleared)
        causes_[of_[group[1]][operation.tasks[1]]].push_back(of_[group[0]][operation.tasks[0]]);
    }
  }

  std::vector<TaskName> circle() const {
    const auto open = never_over();
    const auto first = std::ranges::find(open, true);
    if (first == open.end()) return {};
    // Each of them waits for another of them, so that whoever follows the causes comes round.
    std::vector<std::uint32_t> way;
    std::vector<std::size_t> place(names_.size(), names_.size());
    auto at = static_cast<std::uint32_t>(first - open.begin());
    while (place[at] == names_.size()) {
      place[at] = way.size();
      way.push_back(at);
      at = *std::ranges::find_if(causes_[at], [&](std::uint32_t cause) { return open[cause]; });
    }
    std::vector<TaskName> out;
    for (auto i = place[at]; i < way.size(); ++i) out.push_back(names_[way[i]]);
    return out;
  }

 private:
  bool together(const Task& task) const {
    return task.kind == Task::Kind::exchange &&
           (cleared_ || workload_.operations[task.operation].kind != Exchange::message);
  }

  void number() {
    constexpr auto none = ~std::uint32_t{0};
    std::vector<std::uint32_t> of_operation(workload_.operations.size(), none);
    for (std::uint32_t r = 0; r < workload_.ranks.size(); ++r) {
      of_.emplace_back();
      for (std::uint32_t t = 0; t < workload_.ranks[r].size(); ++t) {
        const auto& task = workload_.ranks[r][t];
        const auto next = static_cast<std::uint32_t>(names_.size());
        const auto known = together(task) ? of_operation[task.operation] : none;
        of_.back().push_back(known == none ? next : known);
        if (known == none) names_.push_back({r, t});
        if (together(task)) of_operation[task.operation] = of_.back().back();
      }
    }
  }

  /// Those that are left when all that can be over is.
  std::vector<bool> never_over() const {
    std::vector<std::vector<std::uint32_t>> next(names_.size());
    std::vector<std::size_t> awaited(names_.size());
    std::vector<std::uint32_t> over;
    for (std::uint32_t v = 0; v < names_.size(); ++v) {
      awaited[v] = causes_[v].size();
      if (awaited[v] == 0) over.push_back(v);
      for (const auto cause : causes_[v]) next[cause].push_back(v);
    }
    std::vector<bool> open(names_.size(), true);
    while (!over.empty()) {
      const auto v = over.back();
      over.pop_back();
      open[v] = false;
      for (const auto waiter : next[v])
        if (--awaited[waiter] == 0) over.push_back(waiter);
    }
    return open;
  }

  const collective::Workload& workload_;
  bool cleared_;
  std::vector<std::vector<std::uint32_t>> of_;      ///< by rank and task: what it is part of
  std::vector<TaskName> names_;                     ///< of each such, one of its tasks
  std::vector<std::vector<std::uint32_t>> causes_;  ///< of each such: what it waits for
};

}  // namespace

std::vector<TaskName> find_circle(const collective::Workload& workload, bool cleared) {
  return Waits{workload, cleared}.circle();
}

}  // namespace peerpath::network_scenario
