#include "study/conclusion.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace peerpath::study {
namespace {

using observe::Decimal;
using observe::WhatIfRow;

constexpr std::string_view down = ", which is down";

/// A change of goodput that is more than chance; else 0.
std::int64_t shown(const observe::FlowChange& flow) {
  const auto size = flow.goodput_percent.digits < 0 ? -flow.goodput_percent.digits : flow.goodput_percent.digits;
  return size > flow.half_width.digits ? flow.goodput_percent.digits : 0;
}

/// What an entry gains in goodput where the row is doubled.
std::int64_t gain_of(const WhatIfRow& row, const std::string& traffic) {
  for (const auto& flow : row.doubled.flows)
    if (flow.traffic == traffic) return shown(flow);
  return 0;
}

/// The suspect that a limit names, if it was tried.
const WhatIfRow* named_by(const observe::WhatIf& what_if, const std::string& limit) {
  const WhatIfRow* found = nullptr;
  for (const auto& row : what_if.suspects)
    if (is_limit(row.name, limit) && (found == nullptr || row.name.size() > found->name.size())) found = &row;
  return found;
}

/// What the reruns show to limit an entry: what, doubled, gives it most. Of those that give about as much the one that
/// the results named. nullptr if nothing does by itself.
const WhatIfRow* limit_of(const observe::WhatIf& what_if, const std::string& traffic, const WhatIfRow* named,
                          std::string_view arrival) {
  const WhatIfRow* best = nullptr;
  for (const auto& row : what_if.suspects)
    if (row.name != arrival && gain_of(row, traffic) >= change_of_one_percent &&
        (best == nullptr || gain_of(row, traffic) > gain_of(*best, traffic)))
      best = &row;
  if (best != nullptr && named != nullptr && gain_of(*named, traffic) * 10 >= gain_of(*best, traffic) * 9) return named;
  return best;
}

/// Says of each limit what the reruns have shown. An entry that they show to have another limit goes to that one.
class Conclusion {
 public:
  Conclusion(observe::Results& results, std::string_view arrival) : results_{results}, arrival_{arrival} {}

  void draw() {
    for (const auto& limit : results_.limits)
      for (const auto& traffic : limit.traffic) place(limit, traffic);
    results_.limits = std::move(limits_);
    for (const auto& limit : results_.limits)
      for (auto& traffic : results_.traffic)
        if (std::ranges::find(limit.traffic, traffic.name) != limit.traffic.end()) traffic.limit = limit.name;
  }

 private:
  void place(const observe::LimitResult& limit, const std::string& traffic) {
    const auto* named = named_by(*results_.what_if, limit.name);
    const auto* found = limit_of(*results_.what_if, traffic, named, arrival_);
    if (found == nullptr)
      return add({limit.name, limit.how, {}}, traffic,
                 (named != nullptr ? "; doubled alone, it gives " : "; nothing that is doubled alone gives ") +
                     traffic + (named != nullptr ? " no more" : " more"),
                 0);
    const auto gain = gain_of(*found, traffic);
    const auto much =
        " gives " + traffic + " " + to_string(observe::quotient(gain, change_of_one_percent, 1)) + " % more";
    if (found == named) return add({limit.name, limit.how, {}}, traffic, "; doubled, it" + much, gain);
    if (limit.name.ends_with(down))  // of what an event takes away there is no double
      return add({limit.name, limit.how, {}}, traffic, "; twice the " + found->name + much, gain);
    add({found->name, "", {}}, traffic, "; doubled, it" + much + "; not " + limit.name, gain);
  }

  /// The proof of a limit is that of the entry that gains most by it.
  void add(observe::LimitResult limit, const std::string& traffic, const std::string& proof, std::int64_t gain) {
    auto known = std::ranges::find(limits_, limit.name, &observe::LimitResult::name);
    if (known == limits_.end()) known = limits_.insert(known, std::move(limit));
    known->traffic.push_back(traffic);
    auto& most = gains_[known->name];
    if (known->proof.empty() || gain > most) {
      known->proof = proof;
      most = gain;
    }
  }

  observe::Results& results_;
  std::string_view arrival_;
  std::vector<observe::LimitResult> limits_;
  std::map<std::string, std::int64_t> gains_;
};

}  // namespace

Decimal change(WideInt now, WideInt before) {
  if (before == 0) return now == 0 ? Decimal{0, change_places} : Decimal{1'000'000, change_places};
  const auto ratio = observe::quotient(now * 100, before, change_places);
  return {ratio.digits - 100 * change_of_one_percent, change_places};
}

Decimal weight_of(const WhatIfRow& row) {
  std::int64_t most = 0;
  const auto take = [&most](std::int64_t digits) { most = std::max(most, digits < 0 ? -digits : digits); };
  for (const auto* run : {&row.doubled, &row.halved})
    for (const auto& flow : run->flows) {
      take(shown(flow));
      if (flow.p99_percent) take(flow.p99_percent->digits);
    }
  return {most, change_places};
}

void order_suspects(observe::WhatIf& what_if, std::string_view arrival) {
  const auto place = [arrival](const WhatIfRow& row) {
    std::int64_t most = 0;
    for (const auto& flow : row.doubled.flows) most = std::max(most, shown(flow));
    return std::pair{row.name == arrival, -most};
  };
  std::ranges::stable_sort(what_if.suspects, {}, place);
}

bool is_limit(const std::string& suspect, const std::string& limit) {
  return limit.starts_with(suspect) && (limit.size() == suspect.size() || limit[suspect.size()] == ' ');
}

void draw_conclusion(observe::Results& results, std::string_view arrival) { Conclusion{results, arrival}.draw(); }

}  // namespace peerpath::study
