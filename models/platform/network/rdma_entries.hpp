// Entries of `rdma`, packet by packet: who sends what to whom, and when.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "platform/network/arrivals.hpp"
#include "platform/network/datagram_entries.hpp"
#include "platform/network/rdma_tally.hpp"
#include "transport/roce/fleet.hpp"

namespace peerpath::network_run {

/// Posts the messages of each entry: so many outstanding on each queue pair, at an interval, or as they arrive by
/// chance. Counts what ends on this rank's hosts.
class RdmaEntries {
 public:
  using Wake = std::function<void(Instant when, std::size_t number)>;
  RdmaEntries(const network_scenario::Loaded& loaded, roce::Fleet& fleet, Wake wake);

  bool none() const { return tallies_.empty(); }
  /// Asks for the beginning of each entry.
  void schedule();
  /// What `wake` was asked for.
  void timed(std::size_t number, Instant now);
  /// A work request has ended; false: the queue pair is of no entry.
  bool completed(roce::QpIndex qp, const roce::Completion& completion, Instant posted, Instant now);
  /// Payload has arrived at this end.
  void delivered(roce::QpIndex qp, std::uint32_t bytes);
  void datagram_sent(roce::QpIndex qp, Instant now) { datagrams_.sent(qp, now); }
  void datagram_arrived(const roce::Packet& packet, bool received, Instant now) {
    datagrams_.arrived(packet, received, now, tallies_);
  }

  /// By entry, since they were taken before.
  std::vector<Tally> take_tallies();
  /// Payload posted so far.
  const std::vector<std::int64_t>& posted() const { return posted_; }
  /// The rates that DCQCN allows the queue pairs of each entry, where they last; 0 for those of other ranks. Behind
  /// them the sum of the steps by which it raises them.
  std::vector<std::vector<std::int64_t>> rates(Instant now, const network::Network& network) const;

 private:
  enum Alarm : std::size_t { start, next_message, next_arrival };
  static constexpr int alarm_bits = 2;
  void wake(Instant when, Alarm what, std::size_t number) { wake_(when, number << alarm_bits | what); }

  /// Messages at an interval, whatever has become of the last one.
  struct Timed {
    std::size_t entry = 0;
    roce::HostIndex from = 0, to = 0;
    roce::QpIndex qp = 0;  ///< with `fresh` of the next message
    int left = 0;
    bool connected = false;
  };
  /// Messages that arrive by chance, with a queue pair each.
  struct Offered {
    std::size_t entry = 0;
    std::vector<Arrival> all{};
    std::size_t next = 0;
    roce::QpIndex first = 0;
  };

  /// Queue pairs of an entry.
  struct Numbers {
    roce::QpIndex begin = 0, end = 0;
    std::size_t entry = 0;
  };

  roce::WorkRequest request(const network_scenario::Rdma& entry, EntryUse& use, roce::QpIndex qp) const;
  std::size_t messages_until_end(const network_scenario::Rdma& entry, Instant now) const;
  roce::QpIndex reserve(std::size_t connections, std::size_t entry);
  void open(roce::QpIndex qp, roce::HostIndex from, roce::HostIndex to, std::size_t entry);
  void begin(std::size_t number, Instant now);
  void begin_load(std::size_t number, Instant now);
  void post_next(roce::QpIndex qp, Instant now);
  void post_timed(std::size_t number, Instant now);
  void post_arrived(std::size_t number, Instant now);

  const network_scenario::Loaded& loaded_;
  const std::vector<network_scenario::Rdma>& entries_;
  roce::Fleet& fleet_;
  Wake wake_;
  Instant end_;  ///< of the run, at the latest
  std::vector<Tally> tallies_;
  std::vector<std::int64_t> posted_;
  std::map<roce::QpIndex, EntryUse> uses_;
  std::vector<Numbers> numbers_;  ///< in order; what the other end is, too, is known by them alone
  std::vector<Timed> timers_;
  std::vector<Offered> offered_;
  DatagramEntries datagrams_;
  Alone alone_;
};

}  // namespace peerpath::network_run
