// Links between the GPUs of a server: NVLink over a switch.
#pragma once

#include <functional>
#include <vector>

#include "collective/carrier.hpp"
#include "peerpath/base/ring.hpp"

namespace peerpath::collective {

/// Servers are runs of so many hosts, in the order of the network's hosts; each host is a GPU with its NIC.
struct ServerConfig {
  int gpus = 1;  ///< 1: there are no links
  BitRate rate{};
  Duration latency{};
};

/// Carries messages between hosts of one server by links, and all others by a carrier. A GPU has one port into a switch
/// that never holds anything up. It sends the packets of the message with the lowest number, which so interrupts
/// others; they come in at the other end one after another, cut through. The sender of a message hears of it a latency
/// later.
class ServerLinks {
 public:
  using Wake = std::function<void(Instant when, std::size_t number)>;
  ServerLinks(const ServerConfig& config, std::size_t hosts, std::size_t owners, Wake wake);

  /// For an owner, whose use of links and NICs is told apart from that of others; this object outlives it.
  Carrier carrier(std::size_t owner, Carrier outside);
  bool are_there() const { return config_.gpus > 1; }

  /// Of a message inside, with the channel's end at which it is heard of.
  std::function<void(ChannelIndex channel, std::uint32_t number, Instant now)> arrived{}, acknowledged{};
  /// What `wake` was asked for. Numbers follow from channels, so whoever plays a part of the network has the same.
  void timed(std::size_t number, Instant now);
  /// A sender, at this end, has heard that its message has come by the other carrier.
  void heard(ChannelIndex channel, Instant now);

  /// Time in which messages of a host were on their way, until it heard of the last, summed over hosts.
  struct Use {
    Duration inside{}, between{};
  };
  Use use_of(std::size_t owner) const { return are_there() ? uses_[owner].sum : Use{}; }

 private:
  struct Waiting {
    ChannelIndex channel = 0;
    Duration left{};  ///< to be sent
    std::uint32_t number = 0;
  };
  struct Port {
    Instant out{}, in{};      ///< free from then on, if no more comes
    Instant arrival{};        ///< of the message that is being sent, if none interrupts it
    Ring<Waiting> waiting{};  ///< by number; the first is being sent
  };
  enum Alarm : std::size_t { has_arrived, is_heard, port_free, alarms };
  /// Messages of a host that are on their way one way, and since when there are some.
  struct Under {
    std::uint32_t count = 0;
    Instant since{};
  };
  struct OwnerUse {
    Use sum{};
    std::vector<Under> inside{}, between{};  ///< by host
  };
  /// One way of it; messages keep their order.
  struct Way {
    Ring<std::uint32_t> coming{}, unheard{};  ///< their numbers
    Instant last{};                           ///< arrival
  };
  struct Channel {
    HostIndex a = 0, b = 0;
    std::uint32_t owner = 0;
    bool inside = false;
    Way ways[2]{};  ///< by the end that sends
  };

  bool are_together(HostIndex a, HostIndex b) const {
    return a / static_cast<HostIndex>(config_.gpus) == b / static_cast<HostIndex>(config_.gpus);
  }
  Channel& at(ChannelIndex channel);
  void post(ChannelIndex channel, Bytes bytes, std::uint32_t number, Instant now);
  void send(HostIndex host, Instant now);
  void sent(HostIndex host, Instant now);
  HostIndex sender(ChannelIndex end) { return end % 2 == 0 ? at(end).a : at(end).b; }
  void begin(ChannelIndex channel, Instant now);
  void end(ChannelIndex channel, Instant now);
  Under& under(const Channel& channel, bool far_end);

  ServerConfig config_;
  Wake wake_;
  std::vector<Port> ports_;
  std::vector<OwnerUse> uses_;
  std::vector<Channel> channels_;  ///< by pair of ends
};

}  // namespace peerpath::collective
