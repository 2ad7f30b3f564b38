#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "study/summary.hpp"
#include "study/sweep_axis.hpp"
#include "tools/python/core.hpp"

namespace peerpath::python {
namespace {

using Outcomes = std::vector<std::optional<study::Summary>>;

Problems said(std::string why) { return {{"", 0, 0, "", std::move(why)}}; }

tl::expected<std::vector<study::SweepAxis>, std::string> axes_of(const SweepRequest& request,
                                                                 const study::Varied& subject) {
  std::vector<study::SweepAxis> axes;
  std::size_t points = 1;
  const auto take = [&](tl::expected<study::SweepAxis, std::string> axis) -> std::string {
    if (!axis) return axis.error();
    points *= axis->steps.size();
    axes.push_back(std::move(*axis));
    return points > study::most_sweep_points ? "the sweep has more than 1000000 points" : "";
  };
  std::string trouble;
  if (!request.variants.empty()) trouble = take(study::variant_axis(request.variants, subject));
  for (const auto& text : request.vary)
    if (trouble.empty()) trouble = take(study::sweep_axis(text, subject));
  if (trouble.empty() && axes.empty()) trouble = "nothing is varied: give vary={\"links.*.generation\": [4, 5]}";
  if (!trouble.empty()) return tl::make_unexpected(trouble);
  return axes;
}

/// Threads that take one point after the other.
class Pool {
 public:
  Pool(const study::Varied& subject, const std::vector<study::SweepStep>& points, int jobs)
      : subject_{subject}, points_{points}, outcomes_(points.size()) {
    const auto most = std::min<std::size_t>(points.size(), static_cast<std::size_t>(std::max(1, jobs)));
    for (std::size_t n = 0; n < most; ++n) threads_.emplace_back([this] { work(); });
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (auto& thread : threads_) thread.join();
  }

  /// Until every point is done, of which `tick` is told last; true: it has stopped the sweep.
  bool wait(const std::function<bool(std::size_t, std::size_t)>& tick) {
    for (std::size_t done = 0; done < points_.size() && !stopped_;) {
      {
        std::unique_lock lock{mutex_};
        changed_.wait_for(lock, std::chrono::milliseconds{100}, [this] { return done_ == points_.size(); });
        done = done_;
      }
      if (tick(done, points_.size())) stopped_ = true;
    }
    return stopped_;
  }
  const Outcomes& outcomes() const { return outcomes_; }

 private:
  void work() {
    for (auto n = next_++; n < points_.size() && !stopped_; n = next_++) {
      auto outcome = subject_.run(points_[n].overrides, [this] { return stopped_.load(); });
      const std::scoped_lock lock{mutex_};
      outcomes_[n] = std::move(outcome);
      ++done_;
      changed_.notify_one();
    }
  }

  const study::Varied& subject_;
  const std::vector<study::SweepStep>& points_;
  Outcomes outcomes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::size_t done_ = 0;
  std::vector<std::thread> threads_;
};

const char* status_of(study::Ending kind) {
  using Kind = study::Ending;
  if (kind == Kind::passed) return "ok";
  return kind == Kind::failed ? "expectation_failed" : "wrong";
}

void add(SweepOutput& output, std::size_t point, std::size_t points, const study::Summary& outcome) {
  output.status[point] = status_of(outcome.kind);
  output.bottleneck[point] = outcome.bottleneck;
  if (!outcome.problems.empty()) output.message[point] = to_string(outcome.problems.front());
  for (const auto& [name, value] : outcome.metrics) {
    auto& column = output.metrics[name];
    if (column.empty()) column.assign(points, std::numeric_limits<double>::quiet_NaN());
    if (value) column[point] = *value;
  }
}

SweepOutput columns(const std::vector<study::SweepAxis>& axes, const std::vector<study::SweepStep>& points,
                    const Outcomes& outcomes) {
  SweepOutput output;
  for (const auto& axis : axes) {
    output.shape.push_back(axis.steps.size());
    output.keys.insert(output.keys.end(), axis.names.begin(), axis.names.end());
  }
  output.values.resize(output.keys.size());
  output.status.resize(points.size());
  output.bottleneck.resize(points.size());
  output.message.resize(points.size());
  for (std::size_t n = 0; n < points.size(); ++n) {
    for (std::size_t key = 0; key < output.keys.size(); ++key) output.values[key].push_back(points[n].values[key]);
    if (outcomes[n]) add(output, n, points.size(), *outcomes[n]);
  }
  return output;
}

}  // namespace

tl::expected<SweepOutput, Problems> sweep(const Source& source, const SweepRequest& request,
                                          const std::function<bool(std::size_t, std::size_t)>& tick) {
  const auto subject = study::Varied::read(source.name, load_options(source));
  if (!subject) return tl::make_unexpected(subject.error());
  const auto axes = axes_of(request, *subject);
  if (!axes) return tl::make_unexpected(said(axes.error()));
  const auto points = study::sweep_points(*axes);
  // Where no point can be read the mistake is in what is varied.
  if (std::ranges::none_of(points, [&](const study::SweepStep& p) { return subject->problems(p.overrides).empty(); }))
    return tl::make_unexpected(subject->problems(points.front().overrides));
  bool interrupted = false;
  Outcomes outcomes;
  {
    Pool pool{*subject, points, request.jobs};
    interrupted = pool.wait(tick);
    if (!interrupted) outcomes = pool.outcomes();
  }
  if (interrupted) {
    SweepOutput none;
    none.interrupted = true;
    return none;
  }
  return columns(*axes, points, outcomes);
}

}  // namespace peerpath::python
