// Hosts with TCP at the ends of a network: NIC, cores, sockets and applications.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <vector>

#include "network/network.hpp"
#include "peerpath/base/ring.hpp"
#include "transport/host/host_dma.hpp"
#include "transport/tcp/connection.hpp"
#include "transport/tcp/host_config.hpp"

namespace peerpath::tcp {

using network::HostIndex;
using EndIndex = std::uint32_t;  ///< one end of a connection; the other is `end ^ 1`

struct FleetConfig {
  Config connection{};
  HostConfig host{};
  int priority = 0;
  std::vector<transport::HostDma*> dma{};  ///< by host; none or nullptr: memory takes and gives at once
};

/// Counters of one host.
struct HostCounters {
  std::int64_t sent = 0, received = 0;  ///< packets
  std::int64_t dropped = 0;             ///< by the NIC: no entry of the ring, no memory, or a full buffer
  std::int64_t pauses = 0;              ///< of its switch, because its buffer was full
  std::int64_t buffer_peak = 0;         ///< bytes in it
  Duration kernel{};                    ///< work of its core; with `one_core` of the applications, too
};

/// Connections over a network. A host's NIC keeps what arrives in a ring until a core takes it, up to 64 packets at a
/// time, and merges what belongs together (GRO); an application reads, and gives the memory back. Data leaves in pieces
/// that the NIC cuts (TSO), two of which at most wait in front of it. All work takes its time on a core.
/// Where a host's memory takes its time (`FleetConfig::dma`), what arrives waits for it in the NIC's buffer, which
/// drops or pauses the switch, and what leaves is read ahead.
class Fleet final : public network::Hosts {
 public:
  Fleet(const FleetConfig& config, std::uint64_t seed) : config_{config}, seed_{seed} {}
  void attach(network::Network& network);

  /// A client at `a` and a server at `b`; returns the client's end. Nothing is sent before `open`.
  EndIndex connect(HostIndex a, HostIndex b, const Consumer& consumer);
  /// The client opens the connection, sends so many bytes and closes it.
  void open(EndIndex end, std::int64_t bytes, bool closes, Instant now);
  /// The application of that end gives no memory back any more, or does so again.
  void keep_memory(EndIndex end, bool keeps, Instant now);

  /// The other end has closed, and all its data has been read.
  std::function<void(EndIndex, Instant)> completed{};
  /// So many bytes have been read.
  std::function<void(EndIndex, std::int64_t, Instant)> taken{};
  /// A packet leaves a host (true) or has come in.
  std::function<void(HostIndex, bool, const Segment&, bool marked, Instant)> tap{};
  std::function<void(std::uint64_t detail, Instant now)> alarm{};
  void wake(Instant when, std::uint64_t detail) { network_->wake_at(when, 0, detail << alarm_bits | app); }

  const Connection& connection(EndIndex end) const { return ends_[end].connection; }
  HostIndex host_of(EndIndex end) const { return ends_[end].host; }
  /// Work of the core of an end's application, and of a host's kernel, that is done by now.
  Duration worked(EndIndex end, Instant now) const {
    return ends_[end].worked - std::max<Duration>(ends_[end].core - now, Duration{});
  }
  Duration kernel_worked(HostIndex host, Instant now) const {
    return hosts_[host].counters.kernel - std::max<Duration>(hosts_[host].kernel - now, Duration{});
  }
  std::size_t ends() const { return ends_.size(); }
  const HostCounters& counters(HostIndex host) const { return hosts_[host].counters; }

  bool next(HostIndex host, std::uint8_t open, Instant now, network::Packet& packet) override;
  void arrived(HostIndex host, const network::Packet& packet, Instant now) override;
  void woken(std::uint32_t subject, std::uint64_t detail, Instant now) override;

 private:
  static constexpr int alarm_bits = 4;
  enum Alarm : std::uint64_t { timer, interrupt, polled, read, built, app, placed, ready, tick };

  struct End {
    End(const Config& config, std::uint32_t initial, HostIndex at, EndIndex self, const Consumer& what)
        : connection{config, initial}, consumer{what}, host{at}, index{self} {}
    Connection connection;
    Consumer consumer;
    HostIndex host;
    EndIndex index;
    std::uint32_t hash = 0;
    std::int64_t in_ring = 0;  ///< bytes that the NIC has taken in and no core has seen
    std::int64_t reading = 0;  ///< bytes of the read that is under way
    std::int64_t owed = 0;     ///< read, to be given back
    Instant alarm = never;
    Instant core{};      ///< of its application: free from then on
    Duration worked{};   ///< by that core
    bool waits = false;  ///< stands in the list of those that have something to send
    bool keeps = false, done = false;
  };
  struct Received {
    Segment segment{};
    bool marked = false;
  };
  /// In the NIC's buffer. `in`: when its payload is in memory; `never`: not known yet.
  struct Arriving {
    Received packet{};
    std::int64_t bytes = 0;
    Instant in = never;
  };
  /// Its data is being read, or waits in the NIC from `ready` on; `never`: not known yet.
  struct Staged {
    Segment segment{};
    Instant ready = never;
  };
  struct Host {
    Ring<EndIndex> sending{};
    Ring<Segment> out{};  ///< cut and ready for the wire
    std::vector<Segment> building{};
    std::int64_t out_bytes = 0;
    Ring<Received> ring{};
    std::size_t polling = 0;  ///< packets that the core is at work on
    bool busy = false;        ///< an interrupt or a poll is under way
    bool builds = false;
    Instant kernel{};  ///< its core is free from then on
    HostCounters counters{};
    // Where memory takes its time (fleet_dma.cpp):
    transport::HostDma* dma = nullptr;
    Ring<Arriving> arriving{};
    Ring<Staged> staged{};
    std::size_t known = 0, ready = 0;  ///< of those: so many have their times
    std::int64_t held = 0, staged_bytes = 0;
    Instant last_in{}, last_out{};
    Instant fetching = never;  ///< an alarm is set for when the first that is staged is ready
    bool pausing = false, ticking = false;
    bool placing = false;  ///< an alarm is set for when the first that arrives is in memory
  };

  Instant work(Host& host, Duration cost, Instant now);
  Instant work(End& end, Duration cost, Instant now);
  void enter(HostIndex host, const Received& received, Instant now);
  void poll(HostIndex host, Instant now);
  void deliver(HostIndex host, std::size_t packets, Instant now);
  void take(const Received& received, Instant now);
  void look(End& end, Instant now);
  void read_done(End& end, Instant now);
  void settle(End& end, Instant now);
  void watch(End& end, Instant now);
  void activate(End& end, Instant now);
  void build(HostIndex host, Instant now);
  bool pull(Host& host, Instant now);
  static void finish_build(Host& host);
  bool has_memory(const End& end, const Segment& segment) const;

  bool has_room(Host& host, std::int64_t bytes) const;
  void write_in(HostIndex host, const Received& received, std::int64_t bytes, Instant now);
  void note_written(HostIndex host, Instant now);
  void let_in(HostIndex host, Instant now);
  void stage(HostIndex host, Instant now);
  static void note_fetched(Host& host, Instant now);
  std::optional<Segment> next_staged(HostIndex host, Instant now);
  std::optional<Segment> next_segment(HostIndex host, Instant now);
  void keep_ticking(HostIndex host, Instant now);
  void advance(HostIndex host, Instant now);

  FleetConfig config_;
  std::uint64_t seed_;
  network::Network* network_ = nullptr;
  std::deque<End> ends_;
  std::vector<Host> hosts_;
};

}  // namespace peerpath::tcp
