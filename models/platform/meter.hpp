// Counts what traffic came to.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "devices/host_cpu/setup.hpp"
#include "devices/nic/packet_journal.hpp"
#include "peerpath/device/frame_source.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/observe/results.hpp"
#include "platform/offers.hpp"
#include "platform/payload_owners.hpp"

namespace peerpath::platform {

/// Hears of every frame, packet, transfer and delivery, in the order of computation, and counts each at its own time:
/// in `traffic` those of the measured window, in `Totals` all since the start. The run moves from edge to edge
/// (`move_on`): what lies behind the next one is kept until then.
///
/// Payload counts as it arrives in the memory that it is for, or at the NIC that sends it, TLP by TLP. Payload that
/// is bounced, or received without header split, counts packet by packet, when the application may use it.
class Meter final : public fabric::DeliverySink, public nic::PacketSink, public host_cpu::SentSink {
 public:
  /// `turns`: times from which on requests may be refused for other reasons, in order; failures are told apart by them.
  Meter(Instant begin, Instant edge, std::vector<Instant> turns)
      : begin_{begin}, edge_{edge}, turns_{std::move(turns)}, last_{begin} {}

  /// @name Before the domain is built
  /// @{

  /// By number of its entry; what they count is of the measured window.
  std::vector<observe::TrafficResult> traffic;
  void add_entry(observe::TrafficResult named) {
    traffic.push_back(std::move(named));
    flows_.emplace_back();
    owners.set_entries(traffic.size());
  }

  /// Payload of the entry counts as it comes to this leaf of the fabric.
  void count_arrivals(std::size_t entry, fabric::NodeId leaf) { flow(entry).leaf = leaf; }
  /// Accounting of the bytes of a failed transaction.
  enum class Failing : std::uint8_t {
    ends_bytes,    ///< those that did not arrive are lost: nothing is tried again
    ends_packets,  ///< a packet with such a part counts as a whole, when it comes to its end
    ends_nothing,  ///< programs go on with whatever they have: the message is under way until it comes to its end
  };
  void count_failures(std::size_t entry, Failing as) { flow(entry).failing = as; }
  void add_offers(std::size_t entry, Arrivals arrivals) {
    auto first = arrivals();
    offers_.push_back({entry, std::move(arrivals), first});
  }
  /// Whose payload transactions move.
  PayloadOwners owners;
  /// @}

  /// Where the leaves are.
  void built(const fabric::Topology& topology);

  /// All of one entry since the start.
  struct Totals {
    Bytes offered{}, arrived{}, dropped{}, failed{};
    Bytes ended{};    ///< bytes of finished packets and transfers
    Bytes largest{};  ///< packet or transfer that counted as a whole; 0: all counted TLP by TLP
    std::int64_t offered_packets = 0, dropped_packets = 0, ended_packets = 0;
    Bytes waiting() const { return std::max(offered - arrived - dropped - failed, Bytes{0}); }
    /// Bytes of frames between the wire and the application. Each frame counts with the mean size.
    Bytes frames_waiting() const;
  };
  /// Until `now`, which the fabric has reached exactly.
  std::vector<Totals> totals(const fabric::Fabric& fabric, Instant now);
  /// Latencies of an entry since the edge before; forgets them.
  observe::Histogram take_latencies(std::size_t entry);
  /// The measured window begins at the edge: forgets what was counted for it so far.
  void begin_window();
  /// Everything until the edge has happened; the next edge.
  void move_on(Instant next);
  /// The measured window ends at the edge: nothing is counted any more. `before`, `after`: the totals at its two ends.
  void close(const std::vector<Totals>& before, const std::vector<Totals>& after);

  /// A function whose read requests are at most this long, a power of two.
  void map_requester(fabric::NodeId requester, Bytes max_read_request);
  /// For how long its read requests were under way or waited to be, summed over them, those that ended in the window.
  Duration reading(fabric::NodeId requester) const;
  /// Of one packet in `interval` of each entry the stages are recorded.
  void record_stages(int interval) { stage_interval_ = interval; }

  /// The entry has at most this many transfers in flight: results say for how long they were.
  void limit_in_flight(std::size_t entry, std::int64_t slots) { traffic[entry].slots = slots; }

  /// A transfer of a source of its own is over: as `done`, and tells who asked to hear of it. `held`: time in flight.
  void transferred(std::size_t entry, Instant begin, Instant end, Bytes payload, Duration held = {}) {
    done(entry, begin, end, payload, held);
    if (watch_) enough_ = watch_(entry, begin, end) || enough_;
  }
  /// Programs that wait for each other offer what they begin.
  void offered(std::size_t entry, Instant when, Bytes payload);
  /// The moments between which the stages of what is over lie.
  void staged(std::size_t entry, const std::array<Instant, 7>& moments) {
    if (!closed_ && is_sampled(entry)) stage({entry, moments});
  }
  void watch(std::function<bool(std::size_t, Instant, Instant)> watch) { watch_ = std::move(watch); }
  /// Whether who heard of it wants no more.
  bool enough() const { return enough_; }

  /// A frame of an Ethernet port that runs at `rate`.
  void frame(const device::FrameArrival& arrival, BitRate rate);
  void done(std::size_t entry, Instant begin, Instant end, Bytes payload, Duration held = {});

  void deliver(const fabric::Delivery& delivery) override;
  void on_packet(const nic::PacketRecord& packet) override;
  void on_drop(std::uint64_t handle, nic::Drop why, Instant wire, Bytes payload) override;
  void on_sent(const host_cpu::SentRecord& packet) override;
  /// Payload on one direction of a link for one entry, out of the fabric's accounts.
  Bytes carried(std::size_t entry, const std::vector<Bytes>& accounts, PayloadOwners::Refused refused) const;

  /// Requests that did not end in success, by requester and status, with the time of the first: since the start, as
  /// what goes wrong before the measurement may be why nothing goes right in it.
  struct Failure {
    std::int64_t count = 0;
    Instant first = never;
  };
  using FailureKey = std::tuple<fabric::NodeId, pcie::Status, bool>;
  /// Posted requests that nobody answered stand apart: no timer runs for them, and nobody notices.
  const std::map<FailureKey, Failure>& failures() const { return failures_; }
  /// Transactions of one kind that failed in the same way.
  struct Failed {
    std::int64_t count = 0;
    fabric::Delivery first{};
    std::optional<std::size_t> entry{};  ///< whose payload `first` moves, if any
  };
  using FailedKey = std::tuple<fabric::NodeId, fabric::NodeId, pcie::Status, pcie::Operation, bool, std::ptrdiff_t>;
  /// By requester, target, status, operation, whether they were spoofed, and between which of the `turns` they ended.
  const std::map<FailedKey, Failed>& failed_transactions() const { return failed_; }
  /// When the first frame of an entry was dropped for this reason; `never` if none was.
  Instant first_drop(std::size_t entry, nic::Drop why) const;
  /// Packets of an entry that came to their end without their bytes: a part was lost, or read in vain.
  std::int64_t in_vain(std::size_t entry) const { return entry < flows_.size() ? flows_[entry].in_vain : 0; }
  /// When the last packet or transfer ended; the start if none did.
  Instant last() const { return last_; }
  /// How long the frames of an entry took the wire until `now`: preamble, FCS and gap included.
  Duration wire_busy(std::size_t entry, Instant now) const;

 private:
  /// Something that happened to an entry.
  struct Happening {
    enum class What : std::uint8_t { offered, done, dropped, in_vain, lost, all_ones };
    What what{};
    nic::Drop why{};
    std::size_t entry = 0;
    Instant when{}, begin{};
    std::int64_t packets = 1;
    Bytes payload{};
    Duration held{};   ///< of `done`: how long the transfer was in flight
    bool ends = true;  ///< of `lost` and `all_ones`: these bytes are no longer under way
  };
  /// A transaction that did not end in success, and whose payload it moves, if any.
  struct Mishap {
    fabric::Delivery delivery{};
    std::optional<std::size_t> entry{};
  };
  /// The moments of a packet between which its stages lie.
  struct Staged {
    std::size_t entry = 0;
    std::array<Instant, 7> moments{};
  };
  /// Read requests of one function.
  struct Reading {
    int request_bits = -1;  ///< of the longest one; -1: it asks for nothing
    std::int64_t held = 0;  ///< units of 1024 fs, which leave room for a second of all tags
  };
  struct Read {
    fabric::NodeId requester{};
    Instant done{};
    std::int64_t held = 0;
  };
  struct Wire {
    Duration busy{};
    Bytes size{};  ///< of the frame before, and how long it takes: sizes repeat
    Duration to_last_bit{}, to_next{};
    /// From start to end: the latest frame, which may lie ahead, and the one before it, whose gap may.
    std::array<std::pair<Instant, Instant>, 2> latest{};
  };
  /// What is known of an entry besides its results.
  struct Flow {
    std::optional<fabric::NodeId> leaf{};  ///< where arrivals are counted
    fabric::LinkId link{};
    int direction = 0;  ///< of `link`, towards the leaf
    Failing failing{};
    Totals totals{};  ///< `arrived`: of what counts as a whole
    observe::Histogram latencies;
    std::int64_t in_vain = 0;
    int to_sample = 1;  ///< packets until the next one whose stages are recorded
    Wire wire;
  };
  struct Offering {
    std::size_t entry = 0;
    Arrivals arrivals;
    Offer next;
  };

  Flow& flow(std::size_t entry) { return flows_[entry]; }
  void happen(Happening what);
  void keep(Happening what);
  void count(Happening what);
  void fail(const Mishap& mishap);
  void stage(const Staged& packet);
  void reads(const fabric::Delivery& d);
  /// Whether it is the turn of a packet of this entry to have its stages recorded.
  bool is_sampled(std::size_t entry) {
    auto& packets = flow(entry).to_sample;
    if (--packets > 0) return false;
    packets = stage_interval_;
    return true;
  }
  void offer_until(Instant until);

  Instant begin_, edge_;
  std::vector<Reading> reading_;  ///< by requester
  std::vector<Staged> later_stages_;
  std::vector<Read> later_reads_;
  int stage_interval_ = 1;
  bool closed_ = false;
  std::vector<Instant> turns_;
  Instant last_;
  std::function<bool(std::size_t, Instant, Instant)> watch_;
  bool enough_ = false;
  std::vector<Flow> flows_;
  std::vector<Offering> offers_;
  std::vector<Happening> later_;  ///< at or behind the edge
  std::vector<Mishap> later_mishaps_;
  std::map<std::pair<std::size_t, nic::Drop>, Instant> first_drops_;
  std::map<FailureKey, Failure> failures_;
  std::map<FailedKey, Failed> failed_;
};

}  // namespace peerpath::platform
