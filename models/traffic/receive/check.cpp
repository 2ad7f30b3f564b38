#include <algorithm>
#include <set>

#include "peerpath/scenario/bar1.hpp"
#include "peerpath/scenario/frames.hpp"
#include "scenario/document.hpp"
#include "traffic/network/check.hpp"
#include "traffic/network/window.hpp"
#include "traffic/receive/kind.hpp"

namespace peerpath::scenario::traffic {
namespace {

constexpr Bytes ethernet_header{14};  // without tags
constexpr Bytes ip_and_tcp{52};       // IPv4 20, TCP 20, timestamp option 12 (RFC 791, 9293, 7323)

constexpr std::int64_t most_rules = 4096;  // of flow steering

/// A frame that takes too many buffers is dropped.
void check_frames(TrafficCheck& check, const device::NicConfig& nic) {
  const Traffic& t = check.traffic();
  if (t.replays()) return;
  const Bytes most = nic.buffer_size * device::sure_buffers(nic.ring_entries);
  const bool split = nic.header_split && nic.header_buffer_size >= ethernet_header + ip_and_tcp;
  const Bytes headers = split ? Bytes{0} : ethernet_header + ip_and_tcp;
  for (std::size_t i = 0; i < t.sizes.size(); ++i)
    if (t.sizes[i] + headers > most)
      check.add(join("sizes", i), to_text(t.sizes[i]) + " of payload needs more than half a ring of " + t.from +
                                      "'s buffers, " + to_text(most) + "; frames would be dropped as too long");
}

void check_sender(const Receive& receive, TrafficCheck& check) {
  const Traffic& t = check.traffic();
  const auto& traffic = check.scenario().traffic;
  const auto sender = std::ranges::find(traffic, *receive.sender, &Traffic::name);
  if (sender == traffic.end() || !sender->is<Transmit>())
    return check.add("sender", "\"" + *receive.sender + "\" is no transmit entry");
  const auto* cable = cable_of(check, t.from);
  if ((cable == nullptr ? std::string{} : far_end(*cable, t.from)) != sender->from)
    check.add("sender",
              "\"" + *receive.sender + "\" is sent by " + sender->from + ", and no cable joins that to " + t.from);
  if (t.replays()) check.add("capture", "is set by the sender's frames");
  if (receive.bytes > Bytes{0}) check.add("bytes", "has no effect: its sender is endless");
}

/// Where the entry's frames come from, by a cable or without one.
void check_origin(const Receive& receive, TrafficCheck& check) {
  const auto& from = check.traffic().from;
  if (!has_ends(check)) return;
  if (receive.sender) return check_sender(receive, check);
  // A port with a cable has no other end that could generate frames.
  if (const auto* cable = cable_of(check, from))
    check.add("kind",
              from + " has a cable to " + far_end(*cable, from) + "; set \"sender\" to the transmit entry at that NIC");
}

/// What a transmit entry sends, as it arrives: segments of at most its NIC's MTU.
void take_from_sender(const Scenario& scenario, const Tree& tree, Traffic& t) {
  const auto sender = std::ranges::find_if(
      scenario.traffic, [&](const Traffic& other) { return other.name == t.sender() && other.is<Transmit>(); });
  if (sender == scenario.traffic.end()) return;
  const auto* nic = config_of<device::NicConfig>(tree.find(sender->from));
  if (nic == nullptr) return;
  t.rate = sender->rate;
  t.flows = sender->flows;
  t.arrival = sender->arrival;
  t.burst = sender->burst;
  const Bytes largest = largest_segment(*nic);
  std::set<Bytes> segments;
  for (const Bytes size : sender->sizes) {
    if (size >= largest) segments.insert(largest);
    if (size % largest > Bytes{0}) segments.insert(size % largest);
  }
  t.sizes.assign(segments.rbegin(), segments.rend());
}

/// With several destinations flow rules steer.
void check_rules(TrafficCheck& check, const std::string& nic, const std::vector<QueueShare>& shares) {
  std::int64_t flows = 0;
  if (shares.size() == 1) return;
  for (const QueueShare& share : shares)
    for (const std::size_t i : share.entries) {
      const Traffic& t = check.scenario().traffic[i];
      const auto several = nic + " receives for several destinations, which needs flow rules: ";
      if (t.replays()) check.add(i, "capture", several + "no captures");
      const bool was_over = flows > most_rules;
      flows += t.flows;
      if (!was_over && flows > most_rules)
        check.add(i, "flows", several + std::to_string(most_rules) + " flows at most in total");
    }
}

}  // namespace

void Kind<Receive>::complete(Receive& receive, Scenario& scenario, const Tree& tree, std::size_t entry) {
  NetworkKind::complete(receive, scenario, tree, entry);
  if (receive.sender) take_from_sender(scenario, tree, scenario.traffic[entry]);
}

void Kind<Receive>::check(const Receive& receive, TrafficCheck& check) {
  const Traffic& t = check.traffic();
  const auto ends = check_ends(receive, check, " needs a gpu as target, whose copy engine fetches the data; ");
  if (t.saturates) check.add("saturates", "has no effect: a NIC drops the frames that it cannot receive");
  check_origin(receive, check);
  if (ends.nic == nullptr) return;
  check_card(check, ends, ends.nic->buffer_size, "buffers");
  if (t.path == DataPath::zero_copy && !ends.nic->header_split && ends.to != nullptr &&
      config_of<device::HostMemoryConfig>(ends.to) == nullptr)
    check.add("path", "zero_copy to " + ends.to->name + " needs header_split on " + t.from +
                          ": the CPU cannot read headers in device memory");
  check_sizes(
      check, ends.nic->mtu - ip_and_tcp,
      " of payload with 52 B of IPv4 and TCP headers is above the mtu of " + t.from + ", " + to_text(ends.nic->mtu));
  check_frames(check, *ends.nic);
}

void Kind<Receive>::check_all(TrafficCheck& check) {
  check_wire_rates<Receive>(check);
  for (const std::string& nic : check.tree().all<device::NicConfig>()) {
    const auto shares = receive_shares(check.scenario(), nic);
    check_queues(check, nic, shares, "destinations");
    check_rules(check, nic, shares);
  }
}

void Kind<Receive>::plan_window(const Receive&, const Scenario& scenario, std::size_t entry, Bar1Plan& plan) {
  plan_buffers(scenario, receive_shares(scenario, scenario.traffic[entry].from), entry, plan,
               [](const device::NicConfig& nic, const Traffic&, std::size_t queues) {
                 return nic.buffer_size * nic.ring_entries * static_cast<std::int64_t>(queues);
               });
}

}  // namespace peerpath::scenario::traffic
