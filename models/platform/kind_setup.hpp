// What a kind of traffic does before the domain is built, and what it does it with.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/base/problem.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/scenario/bar1.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "platform/meter.hpp"
#include "platform/platform.hpp"
#include "transport/traffic/arrival_process.hpp"

namespace peerpath::transport {
class DmaSource;
}  // namespace peerpath::transport

namespace peerpath::platform {

/// What all kinds of traffic are set up with.
class SetupContext {
 public:
  SetupContext(const scenario::Scenario& scenario, Platform& platform, Meter& meter,
               const std::vector<std::filesystem::path>& captures)
      : scenario{scenario},
        platform{platform},
        meter{meter},
        captures{captures},
        windows{scenario::bar1_plans(scenario)} {}
  SetupContext(const SetupContext&) = delete;
  SetupContext& operator=(const SetupContext&) = delete;

  const scenario::Scenario& scenario;
  Platform& platform;
  Meter& meter;
  const std::vector<std::filesystem::path>& captures;  ///< by entry; only while entries are set up
  const std::vector<scenario::Bar1Plan> windows;
  Problems problems;

  const scenario::Traffic& entry(std::size_t number) const { return scenario.traffic[number]; }
  void problem(std::size_t entry, const std::string& key, const std::string& message);

  /// `leg`: of several, each of which draws numbers of its own.
  Random random_of(const scenario::Traffic& t, std::size_t leg = 0) const;
  /// When its transfers are offered, and at which rate.
  transport::ArrivalProcess arrivals_of(const scenario::Traffic& t, std::size_t leg = 0) const;
  static BitRate rate_of_leg(const scenario::Traffic& t) {
    return BitRate{t.rate.bps() / static_cast<std::int64_t>(t.legs().size())};
  }

  /// What becomes of the memory of `gpu` that the entry uses; nullptr if it maps none.
  const scenario::Bar1Mapping* mapping(std::size_t entry, const std::string& gpu) const {
    return scenario::bar1_mapping(windows, entry, gpu);
  }
  bool refused(std::size_t entry, const std::string& gpu) const;
  bool bounced(std::size_t entry, const std::string& gpu) const;
  /// Maps it.
  std::optional<BusAddress> map(std::size_t entry, const std::string& gpu) const;
};

/// Sets up all entries of one kind, and owns what sends their traffic.
class KindSetup {
 public:
  KindSetup() = default;
  virtual ~KindSetup() = default;
  KindSetup(const KindSetup&) = delete;
  KindSetup& operator=(const KindSetup&) = delete;

  /// An entry of the kind, in the order of the scenario.
  virtual void add(std::size_t entry) = 0;
  /// Devices have attached the queues and copies that entries of any kind have asked for.
  virtual void attached() {}
  /// All is there but what is fed by Ethernet or driven by cores; kind by kind in the order of the catalogue.
  virtual void complete() {}
  /// Sources of transfers that an entry has of its own.
  virtual std::vector<const transport::DmaSource*> sources(std::size_t /*entry*/) const { return {}; }
};

transport::Arrival law_of(scenario::ArrivalLaw law);

}  // namespace peerpath::platform
