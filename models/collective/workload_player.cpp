#include "collective/workload_player.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "peerpath/base/fail.hpp"

namespace peerpath::collective {

WorkloadPlayer::WorkloadPlayer(Carrier carrier, const Workload& workload, std::vector<HostIndex> hosts,
                               const PlayerConfig& player, const WorkloadConfig& config, Wake wake)
    : workload_{workload},
      config_{config},
      connections_{std::move(carrier), std::move(hosts), player},
      wake_{std::move(wake)},
      players_(workload.operations.size()),
      members_left_(workload.operations.size()),
      ranks_(workload.ranks.size()),
      uses_(workload.ranks.size()) {
  lay_plans();
  for (std::uint32_t r = 0; r < ranks_.size(); ++r)
    if (connections_.is_here(r)) prepare(r);
  for (std::size_t i = 0; i < members_left_.size(); ++i)
    for (const auto member : workload_.groups[workload_.operations[i].group])
      members_left_[i] += connections_.is_here(member) ? 1 : 0;
}

/// Operations that are alike share a plan.
void WorkloadPlayer::lay_plans() {
  std::map<std::tuple<Exchange, std::uint32_t, std::int64_t, std::uint32_t>, std::shared_ptr<const Plan>> known;
  std::uint32_t number = 0;
  for (const auto& operation : workload_.operations) {
    auto& plan = known[{operation.kind, operation.group, operation.bytes.count(), operation.root}];
    const auto& group = workload_.groups[operation.group];
    if (!plan)
      plan = std::make_shared<Plan>(schedule_of(operation, static_cast<std::uint32_t>(group.size()), config_), group,
                                    connections_);
    plans_.push_back(plan);
    first_.push_back(number);
    require(plan->size() < ~number, "a job has too many messages to number");
    number += plan->size();
  }
  connections_.reserve();
}

void WorkloadPlayer::prepare(std::uint32_t r) {
  const auto& tasks = workload_.ranks[r];
  auto& rank = ranks_[r];
  rank.left = tasks.size();
  left_ += tasks.size();
  rank.next.resize(tasks.size());
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    rank.awaited.push_back(static_cast<std::uint32_t>(tasks[t].after.size()));
    for (const auto cause : tasks[t].after) rank.next[cause].push_back(t);
  }
}

void WorkloadPlayer::start(Instant now) {
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    if (!connections_.is_here(r)) continue;
    ranks_[r].since = uses_[r].ended = now;
    uses_[r].over = ranks_[r].left == 0;
    for (std::uint32_t t = 0; t < workload_.ranks[r].size(); ++t)
      if (workload_.ranks[r][t].after.empty()) begin(r, t, now);
  }
  settle(now);
}

/// An operation's player is there from the first of its members' beginnings or messages on.
Player& WorkloadPlayer::player_of(std::uint32_t operation) {
  auto& player = players_[operation];
  if (player) return *player;
  player = std::make_unique<Player>(connections_, plans_[operation], first_[operation]);
  player->done = [this, operation](std::uint32_t place, Instant) {
    const auto& op = workload_.operations[operation];
    over_.push_back({workload_.groups[op.group][place], op.tasks[place]});
  };
  return *player;
}

std::uint32_t WorkloadPlayer::operation_of(std::uint32_t number) const {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(first_, number) - first_.begin()) - 1;
}

void WorkloadPlayer::begin(std::uint32_t r, std::uint32_t t, Instant now) {
  const auto& task = workload_.ranks[r][t];
  if (task.kind == Task::Kind::nothing || (task.kind != Task::Kind::exchange && task.time == Duration{}))
    return over_.push_back({r, t});
  account(r, now);
  if (task.kind == Task::Kind::exchange) {
    ++ranks_[r].communicating;
    return player_of(task.operation).join(task.place, now);
  }
  const std::size_t unit = task.kind == Task::Kind::gpu ? 0 : 1;
  ranks_[r].unit[unit].waiting.insert(t);
  run_next(r, unit, now);
}

void WorkloadPlayer::run_next(std::uint32_t r, std::size_t number, Instant now) {
  auto& unit = ranks_[r].unit[number];
  if (unit.running || unit.waiting.empty()) return;
  unit.running = *unit.waiting.begin();
  unit.waiting.erase(unit.waiting.begin());
  ++ranks_[r].computing;
  wake_(now + workload_.ranks[r][*unit.running].time, static_cast<std::uint32_t>(units * r + number));
}

void WorkloadPlayer::timed(std::uint32_t number, Instant now) {
  const auto r = number / units;
  auto& unit = ranks_[r].unit[number % units];
  over_.push_back({r, *unit.running});
  unit.running.reset();
  settle(now);
}

bool WorkloadPlayer::arrived(ChannelIndex channel, std::uint32_t number, Instant now) {
  if (connections_.use_of(channel) == Connections::Use::none) return false;
  player_of(operation_of(number)).arrived(channel, number, now);
  settle(now);
  return true;
}

bool WorkloadPlayer::acknowledged(ChannelIndex channel, std::uint32_t number, Instant now) {
  const auto use = connections_.use_of(channel);
  if (use == Connections::Use::none) return false;
  // A clearance is acknowledged when the exchange that it belongs to may be over.
  if (use == Connections::Use::data) player_of(operation_of(number)).acknowledged(channel, number, now);
  settle(now);
  return true;
}

/// Adds what has passed since the last change at the rank.
void WorkloadPlayer::account(std::uint32_t r, Instant now) {
  auto& rank = ranks_[r];
  auto& use = uses_[r];
  const auto passed = now - rank.since;
  rank.since = now;
  if (rank.computing > 0) use.computing += passed;
  if (rank.communicating > 0) use.communicating += passed;
  if (rank.computing > 0 && rank.communicating > 0) use.hidden += passed;
}

/// What is over lets others begin, of which some are over at once.
void WorkloadPlayer::settle(Instant now) {
  for (std::size_t i = 0; i < over_.size(); ++i) finish(over_[i], now);
  over_.clear();
}

void WorkloadPlayer::finish(Over over, Instant now) {
  auto& rank = ranks_[over.rank];
  const auto& task = workload_.ranks[over.rank][over.task];
  account(over.rank, now);
  if (task.kind == Task::Kind::exchange) {
    --rank.communicating;
    if (--members_left_[task.operation] == 0) players_[task.operation].reset();
  } else if (task.kind != Task::Kind::nothing && task.time > Duration{}) {
    --rank.computing;
  }
  --left_;
  if (--rank.left == 0) {
    uses_[over.rank].over = true;
    uses_[over.rank].ended = now;
  }
  for (const auto next : rank.next[over.task])
    if (--rank.awaited[next] == 0) begin(over.rank, next, now);
  for (std::size_t unit = 0; unit < units; ++unit) run_next(over.rank, unit, now);
}

}  // namespace peerpath::collective
