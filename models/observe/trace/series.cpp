#include "observe/trace/series.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "observe/trace/credits_in_use.hpp"
#include "peerpath/observe/results.hpp"

namespace peerpath::trace {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t parts = 200;

/// What has a value that stays until the next one: the most of each part of the time.
class LevelCurve {
 public:
  void set(std::size_t part, std::int64_t value) {
    pass(part);
    most_[part] = std::max(most_[part], value);
    last_ = value;
  }
  const std::array<std::int64_t, parts>& ended() {
    pass(parts - 1);
    return most_;
  }

 private:
  void pass(std::size_t part) {
    for (; part_ < part; ++part_) most_[part_ + 1] = std::max(most_[part_ + 1], last_);
  }

  std::array<std::int64_t, parts> most_{};
  std::size_t part_ = 0;
  std::int64_t last_ = 0;
};

class Series final : public Sink {
 public:
  Series(std::ostream& out, const Subject& subject)
      : out_{out}, scene_{subject.scene}, from_{subject.window.from}, credits_{scene_.topology}, links_{subject.links} {
    const auto until = std::min(subject.window.until, subject.end);
    step_ = std::max(Duration{1}, (until - from_) / static_cast<std::int64_t>(parts));
  }

  void tlp(const Tlp& tlp) override {
    const auto& record = tlp.record;
    const auto part = part_of(record.start);
    if (tlp.shown && record.purpose == pcie::Purpose::payload)
      payload_[{record.link.value(), record.direction}][part] += record.payload.count();
    credits_.see(tlp, [this](const CreditsInUse::Change& change) {
      if (links_[change.link])
        taken_[{change.link, change.direction, change.tlp_class}].set(part_of(change.when), change.taken);
    });
    if (tlp.outstanding) outstanding_[record.requester].set(part, *tlp.outstanding);
  }

  void level(const Level& level) override {
    const auto part = part_of(level.when);
    fifos_[level.nic].set(part, level.held.count());
    auto& before = dropped_before_[level.nic];
    drops_[level.nic][part] += level.dropped - before;
    before = level.dropped;
  }

  std::string finish() override {
    for (const auto& [way, bytes] : payload_) {
      Json values = Json::array();
      for (const auto sum : bytes)
        values.push_back(observe::quotient(static_cast<WideInt>(sum) * 8 * 1'000'000, step_.count(), 3).value());
      add("goodput", way_name(way.first, way.second), "Gb/s", values);
    }
    for (auto& [nic, curve] : fifos_) add("queues", name(nic) + " receive FIFO", "B", Json(curve.ended()));
    for (auto& [requester, curve] : outstanding_)
      add("tags", name(requester) + " requests outstanding", "tags", Json(curve.ended()));
    constexpr std::array classes{"posted", "non-posted", "completion"};
    for (auto& [pool, curve] : taken_) {
      const auto& [link, direction, tlp_class] = pool;
      add("credits", way_name(link, direction) + ", " + classes[static_cast<std::size_t>(tlp_class)], "header credits",
          Json(curve.ended()));
    }
    for (const auto& [nic, counts] : drops_) add("drops", name(nic) + " frames dropped", "frames", Json(counts));
    const Json document{{"from_ns", observe::Decimal{femtoseconds(from_), 6}.value()},
                        {"step_ns", observe::Decimal{step_.count(), 6}.value()},
                        {"curves", curves_}};
    out_ << document.dump() << "\n";
    return std::to_string(curves_.size()) + " curves";
  }

 private:
  std::size_t part_of(Instant t) const {
    return std::min(parts - 1, static_cast<std::size_t>(std::max(t - from_, Duration{0}) / step_));
  }
  const std::string& name(fabric::NodeId node) const { return scene_.topology.nodes[node.value()].name; }
  std::string way_name(std::size_t link, int direction) const {
    return scene_.links[link].name + (direction == scene_.links[link].up ? " up" : " down");
  }
  void add(const char* group, const std::string& curve, const char* unit, const Json& values) {
    if (std::ranges::any_of(values, [](const Json& value) { return value != 0; }))
      curves_.push_back({{"group", group}, {"name", curve}, {"unit", unit}, {"values", values}});
  }

  std::ostream& out_;
  const observe::Scene& scene_;
  Instant from_;
  Duration step_{};
  CreditsInUse credits_;
  std::vector<bool> links_;
  std::map<std::pair<std::size_t, int>, std::array<std::int64_t, parts>> payload_;
  std::map<std::tuple<std::size_t, int, pcie::TlpClass>, LevelCurve> taken_;
  std::map<fabric::NodeId, LevelCurve> outstanding_, fifos_;
  std::map<fabric::NodeId, std::array<std::int64_t, parts>> drops_;
  std::map<fabric::NodeId, std::int64_t> dropped_before_;
  Json curves_ = Json::array();
};

}  // namespace

std::unique_ptr<Sink> make_series(std::ostream& out, const Subject& subject) {
  return std::make_unique<Series>(out, subject);
}

}  // namespace peerpath::trace
