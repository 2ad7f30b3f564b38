#include "peerpath/sc/run.hpp"

#include <algorithm>
#include <systemc>

#include "peerpath/base/fail.hpp"
#include "peerpath/sc/time.hpp"
#include "platform/model_run.hpp"

namespace peerpath::sc {
namespace {

/// Drives a run that has SystemC for itself: one event a batch. Devices are told the exact times of what happens to
/// them; nobody is there to see that SystemC's time stands at the end of the batch meanwhile.
class Batches final : public sc_core::sc_module {
 public:
  Batches(const sc_core::sc_module_name& name, platform::ModelRun& run) : sc_core::sc_module{name}, run_{run} {
    SC_HAS_PROCESS(Batches);
    SC_METHOD(next);
    sensitive << go_;
  }

  /// Whether the run was ended before its time.
  bool over() const { return over_; }

 private:
  void next() {
    auto& reactor = run_.reactor();
    const auto present = reactor.horizon();
    reactor.start();
    reactor.react(present);
    over_ = run_.over(present);
    if (over_) return sc_core::sc_pause();
    const auto left = run_.end() - present;
    if (left == Duration{0}) return;
    reactor.advance(std::min(present + std::min(left, run_.quantum()), reactor.bound()));
    go_.notify(to_sc_time(reactor.horizon() - present));
  }

  platform::ModelRun& run_;
  sc_core::sc_event go_;
  bool over_ = false;
};

}  // namespace

tl::expected<observe::Results, Problems> run_model(const scenario::Scenario& scenario,
                                                   const platform::RunOptions& options) {
  static bool used = false;
  require(!std::exchange(used, true), "SystemC runs once a process");
  set_femtosecond_resolution();
  platform::ModelRun run{scenario, options};
  if (auto problems = run.problems(); !problems.empty()) return tl::unexpected{std::move(problems)};
  run.build();
  const Batches batches{"peerpath", run};
  sc_core::sc_start(to_sc_time(run.end() - Instant{}));
  // What happens at the end itself, sc_start(time) leaves for later.
  if (!batches.over()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  return run.results(now());
}

}  // namespace peerpath::sc

// The SystemC library's own main refers to it; a program that calls run_model has a main of its own.
int sc_main(int, char**) { return 1; }
