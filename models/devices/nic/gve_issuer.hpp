// The transactions of an emulated NIC that are under way, and what each is for.
#pragma once

#include <optional>
#include <vector>

#include "devices/nic/context.hpp"
#include "devices/nic/gve_host.hpp"

namespace peerpath::nic::gve {

/// Which part of the NIC goes on when a transaction is delivered, and with what.
struct Continuation {
  enum class Part : std::uint8_t {
    nothing,     ///< nobody waits for it
    admin,       ///< the admin queue
    tx_ring,     ///< descriptors of a transmit queue; value: their number
    tx_look,     ///< the begin of a packet, read for its headers; value: packet, offset: where in it
    tx_header,   ///< the same as the datapath asks for it
    tx_payload,  ///< payload of a packet
    datapath,    ///< all of what the datapath has asked for
  };
  Part part{};
  QueueIndex queue{};
  std::uint32_t life = 0;  ///< of the queue, or of the admin queue: tells what belongs to one before
  std::uint32_t value = 0;
  std::size_t offset = 0;
  fabric::Transaction asked{};  ///< by the datapath
};

/// Gives each transaction a cookie of its own and knows by it what goes on when it is delivered. A fence tells when all
/// that was under way at one time has ended.
class Issuer {
 public:
  explicit Issuer(Host& host) : host_{host} {}

  void read(fabric::ChannelIndex channel, const Continuation& then, std::uint64_t address, std::size_t size,
            pcie::Purpose purpose, Instant ready, bool counted = true);
  void write(fabric::ChannelIndex channel, const Continuation& then, std::uint64_t address,
             const device::Content& content, pcie::Purpose purpose, Instant ready);

  /// What a transaction is for, or nullptr if it is not under way. Good until the next call of this object.
  const Continuation* find(std::uint64_t cookie) const;
  /// The same, and the transaction has ended.
  std::optional<Continuation> end(std::uint64_t cookie);

  /// All that is under way now is to end before `fenced`.
  void fence();
  bool fenced() const { return before_fence_ == 0; }
  /// Forgets all: nothing of it is heard of any more.
  void clear();
  std::size_t under_way() const { return under_way_; }

 private:
  struct Entry {
    Continuation then;
    std::uint32_t use = 0;    ///< counts the transactions that had this place
    std::uint32_t fence = 0;  ///< fences before it
    bool taken = false;
  };
  std::uint64_t open(const Continuation& then);

  Host& host_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::uint32_t fence_ = 0;
  std::size_t under_way_ = 0, before_fence_ = 0;
};

}  // namespace peerpath::nic::gve
