// RDMA NICs at the ends of a network, with hosts behind them that are a rate and a buffer.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "network/network.hpp"
#include "peerpath/base/ring.hpp"
#include "transport/host/host_dma.hpp"
#include "transport/host/rated_memory.hpp"
#include "transport/roce/datagram.hpp"
#include "transport/roce/dcqcn.hpp"
#include "transport/roce/entry_cache.hpp"
#include "transport/roce/requester.hpp"
#include "transport/roce/responder.hpp"
#include "transport/roce/turns.hpp"
#include "transport/roce/work_rate.hpp"

namespace peerpath::roce {

using network::HostIndex;
using QpIndex = std::uint32_t;  ///< one end of a reliable connection; the other end is `qp ^ 1`

using transport::HostDma;
using transport::HostRates;
using transport::RatedMemory;

/// What all NICs of a fleet have.
struct FleetConfig {
  ConnectionAttributes connection{};
  DcqcnSet dcqcn = DcqcnSet::off;
  int priority = 3;          ///< of data, unless a queue pair has another one
  int urgent_priority = 5;   ///< of data of urgent queue pairs
  int control_priority = 6;  ///< of acknowledgements
  int cnp_priority = 6;
  bool port_by_qp = true;   ///< the UDP source port follows the queue pairs, as Linux sets it; else one a pair of hosts
  Bytes buffer{2'000'000};  ///< receive buffer of a NIC
  Bytes pause_above{1'000'000}, resume_below{900'000};
  std::vector<int> paused{3};  ///< priorities that a NIC pauses as its buffer fills
  TranslationConfig translations{};
  ContextConfig contexts{};
  WorkRates work{};
  std::vector<HostRates> hosts{};  ///< by host; none: memory takes and gives at once
  std::vector<HostDma*> dma{};     ///< by host: its PCIe, where that is simulated; else none or nullptr
};

/// Counters of one NIC.
struct NicCounters {
  std::int64_t sent = 0, received = 0;  ///< packets
  std::int64_t payload = 0;             ///< bytes of data that arrived in order or were kept
  std::int64_t cnps = 0;                ///< sent
  std::int64_t pauses = 0;              ///< because its own buffer was full
  std::int64_t dropped = 0;             ///< its buffer overflowed
  std::int64_t not_received = 0;        ///< datagrams without a receive request, or with another key
  std::int64_t buffer_peak = 0;
  std::int64_t translations = 0, translations_missed = 0;  ///< looked up; of these not in the NIC
  std::int64_t contexts = 0, contexts_missed = 0;          ///< likewise, by packets with data
};

/// Reliable connections over a network. Queue pairs take turns packet by packet; answers go first. DCQCN paces a queue
/// pair from the end of its last packet on. A host whose memory is slower than the wire fills its NIC's buffer, and
/// the NIC pauses the switch.
class Fleet final : public network::Hosts {
 public:
  explicit Fleet(const FleetConfig& config) : config_{config} {}
  /// Before anything is posted. The network was made with this fleet as its hosts.
  void attach(network::Network& network);

  /// Numbers for so many connections; returns the first, which is the end at `a` of `open`. The ways of packets follow
  /// from numbers, so whoever shares a network with other parts asks for them in the order in which those do.
  QpIndex reserve(std::size_t connections);
  /// Joins two hosts under a reserved number. Rates and parameters are of the hosts' own cables. Data of an urgent one
  /// goes before all other data, in a priority of its own. The end at `b` is there from its first packet on.
  void open(QpIndex first, HostIndex a, HostIndex b, bool urgent = false);
  /// Both; returns the end at `a`.
  QpIndex connect(HostIndex a, HostIndex b, bool urgent = false) {
    const auto first = reserve(1);
    if (network_->owns(a)) open(first, a, b, urgent);
    return first;
  }
  /// Data of it goes in this priority, READ answers of the other end as well, which learns it from the first packet.
  /// Before anything is posted.
  void set_priority(QpIndex qp, int priority);
  void post(QpIndex qp, const WorkRequest& request, Instant now);
  /// Nothing more is posted at this end, nor at the other one that it has to answer: once it has done what it has, a
  /// few bytes are all that is left of it. It comes back for what still arrives. Not with DCQCN, which knows more of
  /// it.
  void rest(QpIndex qp);
  /// Takes the connection down, as a failed process does.
  void stop(QpIndex qp, Instant now);

  /// A queue pair for datagrams, under a reserved number; the number beside it stays free.
  void open_datagrams(QpIndex number, HostIndex at, std::uint32_t key, const ReceiveRequests& receives = {});
  /// It is over when `datagram_sent` is called.
  void post_datagram(QpIndex qp, const AddressHandle& to, std::uint32_t length, Instant now);
  std::function<void(QpIndex qp, Instant now)> datagram_sent{};
  /// One is received and in memory, or is lost for want of a receive request.
  std::function<void(const Packet& packet, bool received, Instant now)> datagram{};

  /// A work request has ended at this end; it was posted at `posted`.
  std::function<void(QpIndex qp, const Completion& completion, Instant posted, Instant now)> completed{};
  /// A message of the other end has arrived whole at this end. `last`: its last packet.
  std::function<void(QpIndex qp, const Packet& last, Instant now)> message{};
  /// Payload that was sent to this end has left the receive buffer for memory. Buffers are looked at when something
  /// comes; before totals are read, `settle` brings them up to date.
  std::function<void(QpIndex qp, std::uint32_t bytes)> delivered{};
  void settle(Instant now);
  /// `wake` was asked for.
  std::function<void(std::uint64_t detail, Instant now)> alarm{};
  void wake(Instant when, std::uint64_t detail) { network_->wake_at(when, 0, detail << alarm_bits | app); }

  const NicCounters& counters(HostIndex host) const { return nics_[host].counters; }
  /// Bytes in the receive buffer of a NIC.
  std::int64_t buffered(HostIndex host) const { return nics_[host].held; }
  bool owns(HostIndex host) const { return network_->owns(host); }
  HostIndex host_of(QpIndex qp) const { return qps_[qp]->host; }
  const Requester& requester(QpIndex qp) const { return qps_[qp]->requester; }
  /// Packets that were sent again, by all ends that are here.
  std::int64_t retransmissions() const;
  BitRate rate(QpIndex qp, Instant now) { return qps_[qp]->rate.at(now); }
  std::int64_t notifications(QpIndex qp) const { return qps_[qp]->rate.notifications(); }
  /// Queue pairs that were looked at to find the next packet: the work of the NICs' schedulers.
  std::int64_t looked_at() const;

  bool next(HostIndex host, std::uint8_t open, Instant now, network::Packet& packet) override;
  void arrived(HostIndex host, const network::Packet& packet, Instant now) override;
  void woken(std::uint32_t subject, std::uint64_t detail, Instant now) override;

 private:
  static constexpr int alarm_bits = 3;
  enum Alarm : std::uint64_t { pace, retry, drained, placed, app, tick, written, datagram_left };

  /// A work request, when it was posted, and when the NIC has it.
  struct Waiting {
    WorkRequest request{};
    Instant posted{}, ready{};
  };

  struct QueuePair final : Target {
    QueuePair(Fleet& in, QpIndex self, HostIndex at, HostIndex to, const ConnectionAttributes& attributes, BitRate line,
              const DcqcnParameters& dcqcn)
        : fleet{in},
          number{self},
          host{at},
          other{to},
          requester{attributes},
          responder{attributes, *this},
          rate{dcqcn, line} {}
    bool allows(Operation, std::uint32_t, std::uint64_t, std::uint32_t) override { return true; }
    void place(const Packet& packet, std::uint64_t address) override {
      fleet.translate(*this, address, packet.length);
      fleet.place(host, number, packet.length);
    }
    void arrived(const Packet& last, Instant now) override { fleet.take(*this, last, now); }
    std::uint64_t modify(const Packet&) override { return memory++; }

    Fleet& fleet;
    QpIndex number;
    HostIndex host, other;
    Requester requester;
    Responder responder;
    DcqcnRate rate;
    CongestionNotifier notifier{};
    Ring<Waiting> waiting{};  ///< not given to the requester yet, by `order`
    Ring<Instant> posted{};   ///< of what was
    Ring<Packet> placing{};   ///< last packets of messages that are on their way from the NIC to memory
    Instant paced{};          ///< no data before
    MessagePacer messages{};
    std::uint64_t memory = 0;
    std::uint32_t hash = 0;
    bool urgent = false;
    std::uint8_t priority = 3;
    bool sends = false, answers = false, cnp = false;  ///< stands in the list of its NIC
    Turns::Place turn = 0;                             ///< among those of its NIC that send
    Turns::Kinds kinds = 0;                            ///< there
    Instant due = never;                               ///< it waits for this time, which is in a heap of its NIC
    std::uint8_t due_kind = 0;                         ///< of which kind
    bool timed = false;                                ///< an alarm for its retry timer is due
    bool resting = false;
  };
  /// A packet in the receive buffer.
  struct Held {
    std::int32_t bytes = 0;
    std::int32_t ends = 0;      ///< messages that are whole in memory with it
    std::uint32_t payload = 0;  ///< for `qp`; 0: a duplicate, or out of order
    QpIndex qp = 0;
    Instant out = never;  ///< `never`: not known yet
  };
  /// A packet whose data is read from memory.
  struct Staged {
    network::Packet packet{};
    Instant ready = never;  ///< likewise
  };
  /// Queue pairs of one kind that wait for a time, the earliest first; some have changed since.
  struct Due {
    struct Entry {
      Instant when{};
      QpIndex qp = 0;
      bool operator>(const Entry& other) const { return when != other.when ? when > other.when : qp > other.qp; }
    };
    std::uint8_t kind = 0;
    std::vector<Entry> heap{};
  };
  struct Nic {
    Turns sending{};
    std::vector<Due> due{};  ///< of those, by kind
    std::int64_t looked_at = 0;
    Ring<QpIndex> urgent{}, answering{}, datagrams{};
    Instant alarm = never;
    MessagePacer messages{};
    RatedMemory memory{};
    Ring<Held> holding{};
    std::int64_t held = 0;  ///< bytes of those
    bool pausing = false;
    std::uint8_t priorities = 0;  ///< in which its data goes, as bits
    bool datagram_last = false;   ///< whose turn it was, of datagrams and other data
    NicCounters counters{};
    // Of hosts whose memory takes time to give data, or whose PCIe is simulated (fleet_memory.cpp):
    Ring<Staged> staged{};
    std::int64_t staged_bytes = 0;
    std::size_t known = 0, ready = 0;  ///< of `holding` and `staged`: so many have their times
    std::optional<EntryCache> translations{};
    std::optional<EntryCache> contexts{};
    Instant looked_up{};  ///< before a PCIe that is simulated: the last of what was missing is there
    HostDma* dma = nullptr;
    Ring<QpIndex> ends{};  ///< of the messages that `holding` ends, in order
    bool ticking = false;
    std::int64_t transmit_buffer() const {
      return dma != nullptr ? dma->transmit_buffer().count() : memory.rates().transmit_buffer.count();
    }
  };

  QueuePair& make(QpIndex number, HostIndex at, HostIndex to);
  QueuePair& add(QpIndex number, HostIndex at, HostIndex to, const ConnectionAttributes& attributes, BitRate line);
  void put_away(QueuePair& qp);
  static void feed(QueuePair& qp, Instant now);
  void sort(QueuePair& qp, Instant now);
  void forget_changed(Due& due) const;
  void sort_due(Nic& nic, Instant now);
  std::optional<QpIndex> next_turn(Nic& nic, std::uint8_t open, Instant now);
  Instant next_due(Nic& nic, std::uint8_t open);
  void begin_message(Nic& nic, MessagePacer& of_qp, Instant now) const;
  void activate(QueuePair& qp, Instant now);
  void send(QueuePair& qp, const Packet& packet, int priority, network::Packet& out);
  bool next_answer(Nic& nic, std::uint8_t open, Instant now, network::Packet& out);
  bool next_urgent(Nic& nic, Instant now, network::Packet& out);
  bool next_data(Nic& nic, HostIndex host, std::uint8_t open, Instant now, network::Packet& out);
  bool pick(Nic& nic, HostIndex host, std::uint8_t open, Instant now, network::Packet& out);
  bool wake_later(Nic& nic, HostIndex host, Instant then);
  bool datagrams_turn(Nic& nic, std::uint8_t open) const;
  Instant next_datagram_at(const Nic& nic) const;
  bool next_datagram(Nic& nic, Instant now, network::Packet& out);
  void take_datagram(HostIndex host, const network::Packet& packet, const Packet& said, Instant now);
  void leaves(HostIndex host, const network::Packet& packet, Instant now);
  static bool at_once(const Nic& nic, Instant now);
  void take(QueuePair& qp, const Packet& last, Instant now);
  void end_later(Nic& nic, HostIndex host, QpIndex number, Instant now);
  void end_of_message(QpIndex number, Instant now);
  void watch(QueuePair& qp);
  void finish(QueuePair& qp, Instant now);
  bool has_room(Nic& nic, std::int64_t bytes, Instant now);
  bool fill(Nic& nic, HostIndex host, std::int64_t bytes, Instant now);
  void place(HostIndex host, QpIndex number, std::uint32_t length);
  void release(Nic& nic);
  void translate(const QueuePair& qp, std::uint64_t address, std::uint32_t length);
  static void wait_for_entry(Nic& nic, Duration miss, Instant now);
  void look_up(Nic& nic, QpIndex qp, Instant now);
  void pause(HostIndex host, bool on, Instant now);
  void let_out(Nic& nic, Instant now);
  void pause_if_full(Nic& nic, HostIndex host, Instant now);
  void resume(Nic& nic, HostIndex host, Instant now);
  Instant resume_at(const Nic& nic) const;

  void write_in(Nic& nic, HostIndex host, QpIndex number, std::uint32_t length);
  void stage(Nic& nic, HostIndex host, Instant now);
  void stage(Nic& nic, HostIndex host, const network::Packet& packet, std::uint32_t length, Instant now);
  void read_out(Nic& nic, HostIndex host, std::uint32_t length, Instant now);
  bool next_staged(Nic& nic, HostIndex host, std::uint8_t open, Instant now, network::Packet& out);
  void keep_ticking(Nic& nic, HostIndex host, Instant now);
  void advance(Nic& nic, HostIndex host, Instant now);
  void end_messages(Nic& nic, Instant now);
  static bool holds_back(const Nic& nic, const QueuePair& qp);

  FleetConfig config_;
  network::Network* network_ = nullptr;
  std::deque<QueuePair> ends_;
  std::vector<QueuePair*> qps_;  ///< by number; nothing: not open, at rest, or another part's
  std::vector<QueuePair*> unused_;
  QueuePair* in_use_ = nullptr;           ///< what something has just come for
  std::vector<std::uint64_t> resting_{};  ///< by number, of those at rest: where their two halves stand
  std::map<QpIndex, DatagramQueuePair> datagrams_;
  std::vector<Nic> nics_;
  std::int32_t arriving_ = 0;  ///< bytes of the packet that is being taken in, and when
  Instant arriving_at_{};
  bool is_held_ = false;  ///< whether it is the last in the receive buffer
};

}  // namespace peerpath::roce
