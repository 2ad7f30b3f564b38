// What traces are made of, and who writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/device/endpoint.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/observe/scene.hpp"

namespace peerpath::trace {

/// Simulated times at which a trace begins and ends.
struct Window {
  Instant from{};
  Instant until = never;
  bool holds(Instant t) const { return t >= from && t < until; }
};

/// One TLP on one link.
struct Tlp {
  fabric::TlpRecord record;                   ///< `cookie`: number of its transaction
  fabric::Transaction asked;                  ///< the transaction
  std::uint16_t tag = 0;                      ///< of a non-posted request and its completions
  std::uint64_t request = 0;                  ///< address of that request
  Bytes bytes{};                              ///< of the access: also of a read request, which carries none
  Bytes remaining{};                          ///< of a completion: Byte Count (PCIe Base Spec 2.2.9)
  pcie::Status status{};                      ///< of a completion
  bool last = false;                          ///< with this the transaction has wholly arrived
  std::optional<std::int64_t> outstanding{};  ///< requests of its requester, if this changes their number
  fabric::NodeId from{}, to{};                ///< ends of the link
  bool shown = true;                          ///< the trace is about its link
};

/// One frame at an Ethernet port: the time of its last bit if it comes in, of its first if it goes out.
struct Frame {
  Instant when{};
  fabric::NodeId nic{};
  int port = 0;
  bool out = false;
  device::Frame frame{};
};

/// A core at work for a while.
struct Work {
  Instant when{}, end{};
  fabric::NodeId host{};  ///< the memory that it stands at
  int core = 0;
};

/// What a NIC holds, and what it has dropped since the start.
struct Level {
  Instant when{};
  fabric::NodeId nic{};
  Bytes held{};  ///< of frames, in the receive FIFO
  std::int64_t dropped = 0;
};

/// Takes in what happens, in the order of time.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Every TLP of the window, also those of links that are not to be shown: what they do to others may be.
  virtual void tlp(const Tlp& tlp) = 0;
  virtual void frame(const Frame& /*frame*/) {}
  virtual void work(const Work& /*work*/) {}
  virtual void level(const Level& /*level*/) {}
  /// Ends the file. Returns what it holds, as a phrase: "1234 packets".
  virtual std::string finish() = 0;
};

}  // namespace peerpath::trace
