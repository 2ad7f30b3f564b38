#include "peerpath/sc/run.hpp"

#include <algorithm>
#include <systemc>

#include "loop/loop.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/sc/time.hpp"
#include "platform/model_run.hpp"

namespace peerpath::sc {
namespace {

/// Drives a run that has SystemC for itself: one event a quantum. What happens in the quantum that begins is played
/// before SystemC's time passes through it. Devices are told the exact times; nobody else is there to ask.
class Quanta final : public sc_core::sc_module {
 public:
  Quanta(const sc_core::sc_module_name& name, platform::ModelRun& run) : sc_core::sc_module{name}, run_{run} {
    SC_HAS_PROCESS(Quanta);
    SC_METHOD(next);
    sensitive << go_;
  }

 private:
  void next() {
    auto& reactor = run_.reactor();
    const auto present = reactor.horizon();
    const auto end = present + std::min(run_.end() - present, run_.quantum());
    if (!loop::drive(reactor, end, run_.quantum(), [&] { return run_.over(reactor.horizon()); }))
      sc_core::sc_pause();
    else if (end < run_.end())
      go_.notify(to_sc_time(end - present));
  }

  platform::ModelRun& run_;
  sc_core::sc_event go_;
};

}  // namespace

tl::expected<observe::Results, Problems> run_model(const scenario::Scenario& scenario,
                                                   const platform::RunOptions& options) {
  static bool used = false;
  require(!std::exchange(used, true), "SystemC runs once a process");
  set_femtosecond_resolution();
  platform::ModelRun run{scenario, options};
  if (auto problems = run.problems(); !problems.empty()) return tl::unexpected{std::move(problems)};
  if (auto problems = run.build(); !problems.empty()) return tl::unexpected{std::move(problems)};
  const Quanta quanta{"peerpath", run};
  sc_core::sc_start(to_sc_time(run.end() - Instant{}));
  return run.results(run.reactor().horizon());
}

}  // namespace peerpath::sc

// The SystemC library's own main refers to it; a program that calls run_model has a main of its own.
int sc_main(int, char**) { return 1; }
