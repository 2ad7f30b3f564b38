#include "core/pcie/acs.hpp"
#include "peerpath/scenario/describe.hpp"

namespace peerpath::scenario {
namespace {

std::string retraining(const Event& event) {
  std::string to;
  if (event.generation != 0) to += " Gen" + std::to_string(event.generation);
  if (event.width != 0) to += " x" + std::to_string(event.width);
  const auto gone = event.outage > Duration{0} ? " after " + to_text(event.outage) + " in recovery" : "";
  return "the link above " + event.device + (to.empty() ? " is up again" : " trains to" + to) + gone;
}

std::string frame(const Event& event, std::string_view fate) {
  return "frame " + std::to_string(event.frame) + " to " + event.device + " " + std::string{fate};
}

std::string leak(const Event& event) {
  std::string lost = event.headers > 0 ? std::to_string(event.headers) + " header" : "";
  if (event.data > 0) lost += (lost.empty() ? "" : " and ") + std::to_string(event.data) + " data";
  return "the link above " + event.device + ", way " + std::string{name_of(event.way)} + ", loses " + lost +
         " credits, " + std::string{name_of(event.tlp_class)};
}

}  // namespace

std::string to_text(const Event& event) {
  const auto& device = event.device;
  switch (event.kind) {
    case EventKind::acs:
      return "ACS of " + device + ": " + pcie::acs::to_string(pcie::acs::control_of(event.acs));
    case EventKind::retrain:
      return retraining(event);
    case EventKind::link_down:
      return "the link above " + device + " goes down";
    case EventKind::link_up:
      return "the link above " + device + " comes up";
    case EventKind::bit_error:
      return "a bit error on the link above " + device + ", way " + std::string{name_of(event.way)};
    case EventKind::credit_leak:
      return leak(event);
    case EventKind::answer:
      return device + " answers " + std::string{name_of(event.status)} + " from now on";
    case EventKind::port_down:
      return "the Ethernet port of " + device + " loses its carrier";
    case EventKind::port_up:
      return "the Ethernet port of " + device + " has its carrier back";
    case EventKind::drop_frame:
      return frame(event, "is lost");
    case EventKind::corrupt_frame:
      return frame(event, "is damaged");
    case EventKind::reorder_frame:
      return frame(event, "comes behind the next");
    case EventKind::poison:
      return std::to_string(event.writes) + " writes of " + device + " are poisoned";
    case EventKind::surprise_down:
      return device + " falls off the bus";
    case EventKind::port_reset:
      return "the port above " + device + " is reset; it is away for " + to_text(event.outage);
    case EventKind::wrong_requester_id:
      return (event.transfers == 0 ? "payload of " + device + " carries a requester ID that nobody has from now on"
                                   : std::to_string(event.transfers) + " transfers of " + device +
                                         " carry a requester ID that nobody has");
    case EventKind::iommu_fault:
      return "the IOMMU refuses " + device + " from now on";
  }
  return "";
}

}  // namespace peerpath::scenario
