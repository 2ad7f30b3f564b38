// ACS and the events of a scenario: what software and accidents do to the hardware of a platform.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "fabric/vocabulary/acs_routes.hpp"
#include "peerpath/base/problem.hpp"
#include "platform/platform.hpp"
#include "platform/transaction_faults.hpp"

namespace peerpath::platform {

/// Sets the routes that the ports' ACS controls ask for, and lets the scenario's events happen. Made before the
/// domain is built; `built` when the fabric is there. Must outlive the simulation.
class HardwareEvents {
 public:
  HardwareEvents(const scenario::Scenario& scenario, Platform& platform);
  HardwareEvents(const HardwareEvents&) = delete;
  HardwareEvents& operator=(const HardwareEvents&) = delete;

  void built(const fabric::Topology& topology, fabric::Fabric& fabric);
  /// Events that the model has not.
  const Problems& problems() const { return problems_; }

 private:
  void add_traps();
  void schedule(const scenario::Event& event);
  void schedule(const scenario::Event& event, const scenario::event::Acs& what);
  void schedule(const scenario::Event& event, const scenario::event::Retrain& what);
  void schedule(const scenario::Event& event, const scenario::event::LinkDown&);
  void schedule(const scenario::Event& event, const scenario::event::LinkUp&);
  void schedule(const scenario::Event& event, const scenario::event::BitError& what);
  void schedule(const scenario::Event& event, const scenario::event::CreditLeak& what);
  void schedule(const scenario::Event& event, const scenario::event::PortDown&) { set_carrier(event, false); }
  void schedule(const scenario::Event& event, const scenario::event::PortUp&) { set_carrier(event, true); }
  void schedule(const scenario::Event& event, const scenario::event::FrameFault&);
  void schedule(const scenario::Event& event, const scenario::event::SurpriseDown&) { take_away(event, nullptr); }
  void schedule(const scenario::Event& event, const scenario::event::PortReset& what) { take_away(event, &what); }
  // faults_ knows these.
  void schedule(const scenario::Event&, const scenario::event::Answer&) {}
  void schedule(const scenario::Event&, const scenario::event::Poison&) {}
  void schedule(const scenario::Event&, const scenario::event::IommuFault&) {}
  void schedule(const scenario::Event&, const scenario::event::WrongRequesterId&) {}
  void at(Duration when, std::function<void(fabric::Fabric&)> action);
  auto direction(const scenario::Event& event, scenario::LinkWay way) const {
    return platform_.direction(event.device, way == scenario::LinkWay::up);
  }
  void set_carrier(const scenario::Event& event, bool on);
  void bring_up(fabric::Fabric& fabric, const std::string& device);
  /// `reset`: what brings the device back; nullptr: nothing.
  void take_away(const scenario::Event& event, const scenario::event::PortReset* reset);
  void divert(fabric::Fabric& fabric, const std::string& device, fabric::LinkId egress);
  std::vector<std::uint16_t> controls_of(const std::string& below) const;
  std::uint16_t ever_on(const std::string& below) const;
  std::uint16_t always_on(const std::string& below) const;
  bool may_get_back(const std::string& below) const;
  bool spoofs(const std::string& below) const;
  std::uint16_t blocking(const std::string& below) const;
  /// Whether a root complex with an IOMMU refuses requests of whom it does not know.
  bool refuses_strangers(const device::RootComplexConfig& root) const { return spoofing_ && root.iommu; }
  /// Whether peers of a root complex may send what a link to another socket does not carry on.
  bool keeps_from_crossing(const std::string& root) const;
  void set_acs(const std::string& device, std::uint16_t control);
  void route(fabric::Fabric& fabric);
  std::vector<std::string> ports_of(const std::string& device) const;
  const scenario::Link& link_above(const std::string& device) const;

  const scenario::Scenario& scenario_;
  Platform& platform_;
  TransactionFaults faults_;
  bool acs_in_play_ = false;
  bool spoofing_ = false;
  std::map<std::string, std::uint16_t> controls_;  ///< of the port above a device, by its name
  std::map<std::string, pcie::LinkShape> shapes_;  ///< of the link above a device, as it has trained
  std::map<std::string, fabric::AcsHierarchy::Traps> traps_;
  std::set<fabric::Route> in_force_;
  std::set<std::string> down_;             ///< devices whose link was taken down
  std::map<std::string, int> recovering_;  ///< retrains under way, by the device below the link
  Problems problems_;
  std::map<std::string, fabric::LinkId> gone_;  ///< devices that are not there, and who answers for them
  std::map<std::string, int> outages_;          ///< for how many reasons they are not
};

}  // namespace peerpath::platform
