// Whole runs of small platforms, for tests.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>

#include "observe/finish.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/sc/run.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::sc {

using namespace literals;
using namespace std::chrono_literals;

/// NIC and GPU below one switch; `traffic` goes through them.
inline scenario::Scenario below_one_switch(const scenario::Traffic& traffic) {
  scenario::Scenario s;
  device::HostMemoryConfig dram;
  device::HostCpuConfig cpu;
  dram.at = cpu.at = "rc";
  s.devices = {{"rc", device::RootComplexConfig{}},
               {"dram", dram},
               {"cpu", cpu},
               {"sw", device::SwitchConfig{}},
               {"nic", device::NicConfig{}},
               {"gpu", device::GpuConfig{}},
               {"card", device::DmaCardConfig{}}};
  for (const auto& [from, to] : {std::pair{"rc", "sw"}, {"sw", "nic"}, {"sw", "gpu"}, {"sw", "card"}}) {
    scenario::Link link;
    link.from = from;
    link.to = to;
    s.links.push_back(link);
  }
  s.traffic = {traffic};
  s.run.warmup = 20us;
  s.run.measure = 100us;
  scenario::complete(s);
  return s;
}

inline observe::Results run(const scenario::Scenario& s, const RunOptions& options = {}) {
  auto results = run_model(s, options);
  EXPECT_TRUE(results);
  const auto problems = observe::finish(*results, s);
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(results->conservation.empty());
  return *results;
}

inline double metric(const observe::Results& results, const std::string& name) {
  const auto* found = observe::find_metric(results, name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr || !found->value ? -1 : found->value->value();
}

/// The metric after a run in a child process, so that a test may compare runs: SystemC runs once a process.
inline double metric_of_another_run(const scenario::Scenario& s, const std::string& name) {
  std::array<int, 2> ends{};
  require(pipe(ends.data()) == 0, "a pipe");
  const pid_t child = fork();
  if (child == 0) {
    const double found = metric(run(s), name);
    _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
  }
  close(ends[1]);
  double found = -1;
  EXPECT_EQ(read(ends[0], &found, sizeof found), static_cast<ssize_t>(sizeof found)) << "the child did not end well";
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return found;
}

inline scenario::Traffic traffic(scenario::TrafficKind kind, const char* from, const char* to,
                                 BitRate rate = scenario::Traffic{}.rate) {
  scenario::Traffic t;
  t.name = "t";
  t.kind = kind;
  t.from = from;
  t.to = to;
  t.headers_to = "dram";
  t.rate = rate;
  return t;
}

/// The entry of a device of kind `Config`, of which there is one.
template <class Config>
Config& the(scenario::Scenario& s) {
  for (auto& device : s.devices)
    if (auto* config = std::get_if<Config>(&device.config)) return *config;
  fail("a device of this kind");
}

}  // namespace peerpath::sc
