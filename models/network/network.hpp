// An Ethernet network, packet by packet.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "network/cable_faults.hpp"
#include "network/division.hpp"
#include "network/event_queue.hpp"
#include "network/flowlets.hpp"
#include "network/graph.hpp"
#include "network/packet.hpp"
#include "network/port.hpp"
#include "network/routes.hpp"
#include "network/shared_buffer.hpp"
#include "network/switch_config.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::network {

/// What stands at the ends of a network: sends packets when asked, and takes those that arrive.
class Hosts {
 public:
  virtual ~Hosts() = default;
  /// The transmitter of a host is free. Fills in a packet of a priority whose bit is set in `open`; false: it has none
  /// now, and `Network::ready` is called when that changes.
  virtual bool next(HostIndex host, std::uint8_t open, Instant now, Packet& packet) = 0;
  /// The last bit of a packet is in.
  virtual void arrived(HostIndex host, const Packet& packet, Instant now) = 0;
  /// A time that was set by `Network::wake_at` has come.
  virtual void woken(std::uint32_t subject, std::uint64_t detail, Instant now) = 0;
};

/// Queues that wait for each other in a circle: none of them can ever send again.
struct PauseCircle {
  std::vector<PortIndex> ports;  ///< each waits for the next, the last for the first
  int priority = 0;
};

/// A paused queue, and a port at the other end's node that it waits for.
struct PauseWait {
  static constexpr PortIndex nobody = ~PortIndex{0};
  int priority = 0;
  PortIndex port = 0;
  PortIndex feeder = nobody;  ///< a port whose packets wait in that queue; `nobody`: only says that the queue is paused
};
/// The circle in what waits, if there is one; the queues of all nodes, in any order of their ports.
std::optional<PauseCircle> find_circle(std::vector<PauseWait> waits);

/// Switches that store and forward, with a shared buffer, PFC, ECN and equal-cost routes; cables; hosts' ports. Told
/// the time: `run` does all that is due. Everything is integer arithmetic. At one instant what comes in over cables
/// happens first, by ports, and then the rest of each node in the order in which it was caused: an order that no
/// division into parts changes.
class Network {
 public:
  Network(const Graph& graph, const SwitchConfig& config, std::uint64_t seed, Hosts& hosts);

  /// Before anything is due: only the nodes that `owner` (by node) gives to `self` of `parts` happen here. What crosses
  /// to another part's nodes waits in `outbox` of that part.
  void keep(const std::vector<PartIndex>& owner, PartIndex parts, PartIndex self);
  bool owns(HostIndex host) const { return own_[graph_.hosts[host]]; }
  /// Whether it is a switch's, and that one happens here.
  bool is_of_own_switch(PortIndex port) const { return buffers_[node_of_[port]] && own_[node_of_[port]]; }
  std::vector<Crossing>& outbox(PartIndex part) { return outboxes_[part]; }
  /// Not later than the first thing that is due.
  void take_in(const Crossing& crossing);

  /// When the next thing is due.
  Instant next() { return events_.next(); }
  /// Does all that is due until `until`, that instant included.
  void run(Instant until) { run(until, std::numeric_limits<std::int64_t>::max()); }
  /// Likewise, but at most that many events; false: the next one is due within `until`, too.
  bool run(Instant until, std::int64_t most);
  /// The number of events so far.
  std::int64_t events() const { return done_; }
  /// Packets that have crossed a cable.
  std::int64_t hops() const { return hops_; }

  /// The host has something to send.
  void ready(HostIndex host, Instant now) { serve(host_port_[host], now); }
  void wake_at(Instant when, std::uint32_t subject, std::uint64_t detail) {
    events_.push(when, local(timer, subject, detail));
  }
  /// The receiver of a host stops or resumes its switch for one priority (a full buffer of the NIC).
  void pause(HostIndex host, int priority, bool on, Instant now) { send_pause(host_port_[host], priority, on, now); }
  /// Takes a cable out of service or back. What is on it or waits for it is lost; routes follow after
  /// `SwitchConfig::convergence`.
  void set_cable(CableIndex cable, bool up, Instant now);

  const Graph& graph() const { return graph_; }
  const Port& port(PortIndex port) const { return ports_[port]; }
  PortIndex port_of(HostIndex host) const { return host_port_[host]; }
  const SharedBuffer* buffer(NodeIndex node) const { return buffers_[node] ? &*buffers_[node] : nullptr; }
  std::size_t cables() const { return graph_.cables.size(); }
  /// Packets sent by hosts, not yet arrived or dropped.
  std::int64_t in_flight() const { return pool_.in_use(); }
  /// Time that the other end has held this port with packets waiting, until `now`; summed over priorities, and that in
  /// which at least one of them was held.
  Duration paused(PortIndex port, Instant now) const;
  Duration stopped(PortIndex port, Instant now) const;
  /// What waits for each port and is on its way behind it, to nodes that happen here; and packets that are neither.
  struct Backlog {
    std::vector<std::int64_t> bytes;  ///< by port
    std::int64_t lost_track = 0;      ///< packets
  };
  Backlog backlog() const;
  /// A circle of paused queues none of which has sent for `patience`; or of this part what may be in one.
  std::optional<PauseCircle> deadlock(Instant now, Duration patience) const {
    return find_circle(waits(now, patience));
  }
  std::vector<PauseWait> waits(Instant now, Duration patience) const;

 private:
  /// What happens at a node by itself.
  enum Kind : std::uint64_t { transmitter, timer, reroute };
  static std::uint64_t local(Kind kind, std::uint32_t subject, std::uint64_t detail) {
    require(detail < std::uint64_t{1} << 30, "the detail of an alarm exceeds 30 bits");
    return detail << 34 | std::uint64_t{subject} << 2 | kind;
  }
  /// What comes in over a cable; a packet and a pause frame may end at one instant.
  static std::uint64_t place_of(PortIndex at, bool pause) { return std::uint64_t{at} << 1 | (pause ? 1 : 0); }
  void fetch(const Event& event) const;
  void fetch_packet(const Event& event) const;
  void from_cable(const Event& event);
  void from_node(const Event& event);

  void arrive(PortIndex at, PacketIndex index, Instant now);
  void enqueue(PortIndex egress, PacketIndex index, Instant now);
  void serve(PortIndex index, Instant now);
  void serve_host(PortIndex index, Instant now);
  void wake(PortIndex index, Instant when);
  std::uint8_t open_queues(PortIndex index, Instant now);
  int choose_queue(Port& port, std::uint8_t open);
  void send(PortIndex index, PacketIndex packet, Instant now);
  void leave(PortIndex egress, PacketIndex packet, Instant now);
  bool marks(PortIndex index, std::int64_t queued);
  void send_pause(PortIndex index, int priority, bool on, Instant now);
  void hold(PortIndex index, int priority, bool on, Instant now);
  void lose(PortIndex at, PacketIndex packet);
  void note_stop(PortIndex index, Instant now);

  Graph graph_;
  SwitchConfig config_;
  Hosts& hosts_;
  std::uint64_t seed_;
  std::vector<Random> marking_;  ///< by port
  Routes routes_;
  CableFaults faults_;
  EventQueue events_;
  PacketPool pool_;
  std::vector<Port> ports_;
  std::vector<NodeIndex> node_of_;  ///< by port
  std::vector<HostIndex> host_of_;  ///< by node
  std::vector<PortIndex> host_port_;
  std::vector<std::optional<SharedBuffer>> buffers_;  ///< by node; hosts have none
  std::vector<std::uint32_t> turns_;                  ///< by node, for spraying
  std::vector<Flowlets> flowlets_;                    ///< by node, if ways are chosen by them
  std::vector<bool> down_;                            ///< by cable
  std::vector<bool> own_;                             ///< by node
  std::vector<PartIndex> owner_;                      ///< by node, if there are parts
  std::vector<std::vector<Crossing>> outboxes_;       ///< by part
  std::array<std::int64_t, priorities> weights_{};
  std::uint32_t mark_limit_ = 0;  ///< 2^32 times the largest probability of marking
  std::int64_t done_ = 0, hops_ = 0;
};

}  // namespace peerpath::network
