// Runs a network scenario that a test has as text.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "platform/network/run.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::network_run {

/// `files`: those that it names.
inline Outcome run_text(const std::string& text, const Options& options = {},
                        std::map<std::string, std::string> files = {}) {
  const auto loaded = network_scenario::load_text(text, "test.json", scenario::in_memory(std::move(files)));
  EXPECT_TRUE(loaded && *loaded) << (loaded ? scenario::lines_of(loaded->error()) : "");
  if (!loaded || !*loaded) return {};
  auto outcome = run(**loaded, options);
  EXPECT_TRUE(outcome) << scenario::lines_of(outcome ? Problems{} : outcome.error());
  return outcome ? std::move(*outcome) : Outcome{};
}

/// -1: not known.
inline double value(const Outcome& outcome, const std::string& name) {
  const auto* metric = observe::find_metric(outcome.results, name);
  return metric != nullptr && metric->value ? metric->value->value() : -1;
}

}  // namespace peerpath::network_run
