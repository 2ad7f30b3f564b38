// Traffic entries of a scenario become sources, queues and drivers of its platform.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "peerpath/base/problem.hpp"
#include "platform/kind_setup.hpp"
#include "platform/meter.hpp"
#include "platform/platform.hpp"

namespace peerpath::platform {

/// Sets up all traffic of a scenario before the domain is built, and owns what sends it: each kind does so for its
/// entries (models/traffic). `meter` hears of all of it.
class TrafficSetup {
 public:
  TrafficSetup(const scenario::Scenario& scenario, Platform& platform, Meter& meter,
               const std::vector<std::filesystem::path>& captures);

  const Problems& problems() const { return context_.problems; }
  /// Of the transfers of an entry, if it has some of its own.
  std::vector<const transport::DmaSource*> sources(std::size_t entry) const {
    return kinds_[context_.entry(entry).what.index()]->sources(entry);
  }

 private:
  void name(std::size_t entry);
  void join(const scenario::Cable& cable);

  SetupContext context_;
  std::vector<std::unique_ptr<KindSetup>> kinds_;  ///< in the order of the catalogue
};

}  // namespace peerpath::platform
