// A reliable connection that moves messages into or out of a registered buffer, in order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "devices/private_pages/contents.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/pcie/tlp.hpp"

namespace peerpath::odp {

using private_pages::Page;

/// Messages of one traffic entry.
struct Stream {
  pcie::Operation op = pcie::Operation::memory_write;  ///< what the NIC does to memory
  Bytes window{};                                      ///< of the buffer; messages take their places in turn
  std::vector<Bytes> sizes;                            ///< taken in turn
  BitRate rate{};                                      ///< of payload offered
  /// Is told of each message that did not fail: when it was offered, when its last byte had moved, and its payload.
  std::function<void(Instant begin, Instant end, Bytes size)> done{};
};

/// A message that is not over.
struct Message {
  std::uint64_t number = 0;
  Instant offered{};
  Bytes start{}, size{};  ///< where in the buffer
  Bytes sent{}, moved{};  ///< handed to PCIe; there
  bool failed = false;
  std::map<Page, private_pages::Content> landed{};  ///< of a write: by page
};

/// The part of a message that one packet carries within one page.
struct Packet {
  Page page = 0;
  Bytes offset{};  ///< in the page
  Bytes size{};
};

/// What it does next depends on what it waits for.
class QueuePair {
 public:
  enum class State : std::uint8_t {
    ready,
    not_ready,  ///< the peer was told RNR, and waits before it sends the packet again
    stalled,    ///< until the page that it is to read from is there
    failed,
  };

  /// `first`: number of its first message; those of other queue pairs are far away.
  QueuePair(Stream stream, std::uint64_t first) : stream_{std::move(stream)}, next_number_{first} {}

  const Stream& stream() const { return stream_; }
  bool writes() const { return stream_.op == pcie::Operation::memory_write; }
  /// When the next message is offered.
  Instant next_offer() const { return Instant{offered_ / stream_.rate}; }
  /// The message of which the next packet is; nullptr if none is offered by now.
  Message* current(Instant now);
  /// Its next packet: of at most the MTU, and within one page.
  static Packet next_packet(const Message& message, Bytes mtu, Bytes page);
  /// The message of a packet that has moved.
  Message& find(std::uint64_t number);
  void remove(std::uint64_t number);
  const std::deque<Message>& open() const { return open_; }

  State state = State::ready;
  std::optional<Instant> arrives{};  ///< when the packet on the wire is in
  std::optional<Page> waits_for{};
  int retries = 0;       ///< of the packet
  bool no_room = false;  ///< its packet is held until the buffer has some

 private:
  Stream stream_;
  std::uint64_t next_number_;
  std::size_t turn_ = 0;
  Bytes offered_{}, place_{};
  std::deque<Message> open_;  ///< by number; only the last can have packets to send
};

}  // namespace peerpath::odp
