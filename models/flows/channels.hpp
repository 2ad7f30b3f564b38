// Reliable channels between hosts of a network, their messages as flows.
#pragma once

#include <deque>
#include <vector>

#include "collective/carrier.hpp"
#include "flows/fair_links.hpp"
#include "network/path_choice.hpp"
#include "network/routes.hpp"
#include "peerpath/base/ring.hpp"

namespace peerpath::flows {

using collective::ChannelIndex;
using network::HostIndex;

/// What hosts and switches are to flows.
struct ChannelConfig {
  int mtu = 4096;  ///< payload of a packet: what headers leave of a link
  bool port_by_qp = true;
  network::PathChoice path = network::PathChoice::ecmp;  ///< not `spray` or `flowlet`: a flow has one way
  Duration switch_latency{};
  int queued = 4;  ///< fitted to the level of packets
  std::uint64_t seed = 1;
  std::vector<BitRate> drain{}, fetch{};  ///< by host, headers included; 0: as the wire
  std::vector<Duration> latency{};        ///< by host: from its NIC to its memory
};

/// Channels are numbered as queue pairs of `roce::Fleet` are and hashed like them, so a message goes the way of their
/// packets. A channel has one message on the wire at a time: a flow over each of its links from then on, of its packets
/// with all headers. It has left when the slowest of them has: switches buffer what a slower link keeps back, so one
/// that waits for its uplink leaves the rest of its NIC to others. After that its last packet has its way to go, and at
/// each switch waits behind up to `queued` packets of others, at random: where nothing did, collectives that keep step
/// would meet in the same places in every round.
class Channels {
 public:
  Channels(const network::Graph& graph, const ChannelConfig& config);

  /// Numbers for so many; the first.
  ChannelIndex reserve(std::size_t channels);
  void open(ChannelIndex first, HostIndex a, HostIndex b);
  /// Both.
  ChannelIndex connect(HostIndex a, HostIndex b);
  void post(ChannelIndex channel, Bytes bytes, std::uint32_t number, Instant now);
  collective::Carrier carrier();

  /// A cable fails or comes back: flows over it wait, and those that `reroute` finds without a way do so too.
  void set_cable(network::CableIndex cable, bool up);
  /// Switches know of all cables that failed or came back: flows take the ways that are left, from where they stand.
  void reroute();

  void wake(Instant when, std::uint64_t detail) { links_.wake(when, detail << 2 | app); }
  void run(Instant until) { links_.run(until); }
  Instant now() const { return links_.now(); }  ///< of what happened last

  /// A message that was sent at the other end under that number has arrived at this end.
  std::function<void(ChannelIndex channel, std::uint32_t number, Instant now)> arrived{};
  /// Its sender, at this end, has heard of that; it was posted at `posted`.
  std::function<void(ChannelIndex channel, std::uint32_t number, Instant posted, Instant now)> completed{};
  std::function<void(std::uint64_t detail, Instant now)> alarm{};

  /// Payload of the channel that has crossed the last cable on its way; `run` up to now is done.
  Bytes carried(ChannelIndex channel, Instant now) const;
  /// Time in which each port has sent; likewise.
  std::vector<Duration> busy(Instant now) const;

 private:
  enum Alarm : std::uint64_t { delivered, heard, app };
  struct Message {
    Bytes payload{}, wire{};
    std::uint32_t number = 0;
    Instant posted{};
  };
  struct Channel {
    HostIndex from = 0, to = 0;
    std::vector<LinkIndex> way{};  ///< ports, then the limits of hosts; empty: there is none
    std::size_t ports = 0;
    FlowIndex first = 0;      ///< of its flows, which are numbered by link
    std::size_t numbers = 0;  ///< of flows that it has
    Duration queue{};         ///< most that its last packet waits for others
    Duration there{}, back{};
    Ring<Message> waiting{};
    Ring<std::uint32_t> coming{};  ///< numbers of messages that have left
    Ring<Message> unheard{};       ///< messages whose sender has not heard
    std::vector<Bytes> left{};     ///< of the message on the wire by link, where it does not flow
    Bytes unsent{};                ///< of that message, as it came to this way
    Bytes delivered{};             ///< of messages that have left
    std::uint32_t flowing = 0;     ///< links
    std::uint32_t count = 0;       ///< messages that have left
  };

  std::vector<BitRate> rates();
  void find_way(ChannelIndex number);
  void begin(ChannelIndex number);
  void start(ChannelIndex number);
  void stop(ChannelIndex number);
  void ended(FlowIndex flow, Instant now);
  Duration on_way(ChannelIndex number);
  void woken(std::uint64_t detail, Instant now);
  bool is_whole(const Channel& channel) const;
  Bytes left(const Channel& channel, std::size_t link, Instant now) const;

  const network::Graph& graph_;
  ChannelConfig config_;
  std::vector<bool> down_;
  network::Routes routes_;
  std::vector<LinkIndex> drain_, fetch_;  ///< by host: the link that stands for it, or none
  FairLinks links_;
  std::deque<Channel> channels_;
  std::vector<ChannelIndex> owners_{};  ///< by flow
};

}  // namespace peerpath::flows
