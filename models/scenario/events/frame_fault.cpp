#include "peerpath/scenario/events/frame_fault.hpp"

#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

namespace {

std::string frame_to(const std::string& device, int frame) {
  return "frame " + std::to_string(frame) + " to " + device;
}

}  // namespace

std::string DropFrame::text(const std::string& device) const { return frame_to(device, frame) + " is lost"; }
std::string CorruptFrame::text(const std::string& device) const { return frame_to(device, frame) + " is damaged"; }
std::string ReorderFrame::text(const std::string& device) const {
  return frame_to(device, frame) + " arrives after the next";
}

void FrameFault::check(const Event&, EventCheck& check) const {
  if (frame == 0) check.add("frame", "must be at least 1, the first frame with payload");
  check.needs_nic();
}

}  // namespace peerpath::scenario::event
