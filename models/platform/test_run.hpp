// Whole runs of small platforms, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "peerpath/base/fail.hpp"
#include "peerpath/observe/finish.hpp"
#include "peerpath/platform/run.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::platform {

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

inline observe::Results results_of(const scenario::Scenario& s, const RunOptions& options = {}) {
  auto results = run(s, options);
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

inline double metric_after_run(const scenario::Scenario& s, const std::string& name) {
  return metric(results_of(s), name);
}

inline scenario::Traffic traffic(decltype(scenario::Traffic::what) what, const char* from, const char* to,
                                 BitRate rate = scenario::Traffic{}.rate) {
  scenario::Traffic t;
  t.name = "t";
  t.what = std::move(what);
  t.from = from;
  t.to = to;
  if (auto* network = t.as<scenario::traffic::Network>()) network->headers_to = "dram";
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

}  // namespace peerpath::platform
