// A device of a platform, whatever its kind. Each kind is a class in `platform.hpp` of its folder below models/devices,
// and one line of the catalogue (peerpath/device/catalogue.hpp).
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/domain.hpp"

namespace peerpath::gpu {
class Bar1Pieces;
struct CopyWork;
}  // namespace peerpath::gpu

namespace peerpath::transport {
struct DmaPattern;
class DmaSource;
}  // namespace peerpath::transport

namespace peerpath::platform {

struct Report;

/// Transfers that a device makes by an engine of its own, at a regular rate.
struct Transfer {
  pcie::Operation op{};
  fabric::NodeId target{};
  std::uint64_t address = 0;
  Bytes window{};
  std::vector<Bytes> sizes;
  BitRate rate{};
  bool random = false;  ///< addresses
  /// For devices that tell of transfers: is called for each one that is done.
  std::function<void(Instant begin, Instant end, Bytes size)> done{};
};

/// Is told by which channel of the device something that it was asked for leaves it.
using ByChannel = std::function<void(fabric::ChannelIndex)>;

/// Memory that is reached piece by piece through its part of a window, which begins at `window`.
struct PiecedMemory {
  std::shared_ptr<gpu::Bar1Pieces> pieces;
  BusAddress window{};
};

/// What a platform asks of each of its devices. The defaults are those of a device that has nothing of the kind.
class Device {
 public:
  explicit Device(fabric::NodeId node) : node_{node} {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Its place in the fabric; cores have that of their memory.
  fabric::NodeId node() const { return node_; }

  /// The port for the next link; `upstream`: the one towards the root complex.
  virtual Port& take_port(bool upstream);
  /// Where others reach its memory, or a fresh piece of it.
  virtual BusAddress memory(Bytes size);
  /// Where its memory begins, if all of it is there for everybody.
  virtual std::optional<BusAddress> open_memory() const { return std::nullopt; }
  /// Makes transfers from the start on, if it has an engine for them; returns the number of the stream.
  virtual std::optional<std::size_t> start(const Transfer&) { return std::nullopt; }
  /// Whether it calls `Transfer::done` itself; else each transaction of payload is a transfer.
  virtual bool tells_of_transfers() const { return false; }
  /// Whether the payload of its transfers may go elsewhere than to their target: it counts transfer by transfer.
  virtual bool lands_elsewhere() const { return false; }
  /// The number of the stream, as `start` returned it, whose payload a transaction of this device moves.
  virtual std::size_t stream_of(const fabric::Delivery&) const { return 0; }
  /// How many transfers it has in flight where it has no engine for them.
  virtual int outstanding() const { return 64; }
  /// Gives transfers that it has no engine for what they take inside the device. `atomic`: they are atomic operations.
  virtual void shape(transport::DmaPattern&, bool /*atomic*/) const {}

  /// Maps a buffer piece by piece through `size` bytes of its window from `at` on.
  virtual PiecedMemory map_pieces(Bytes buffer, BusAddress at, Bytes size);
  /// Gives the transfers of a source a queue, before the domain is built.
  virtual void queue(Domain& domain, transport::DmaSource& source, const ByChannel& channel);
  /// Whether what entries of traffic ask it for leaves it by one queue, whose room they share.
  virtual bool has_one_queue() const { return false; }
  /// Whether it makes copies; if so, `copy` adds a stream of them, before `attach_copies`.
  virtual bool makes_copies() const { return false; }
  virtual void copy(const gpu::CopyWork& work, const ByChannel& channel);
  /// What takes its copies, after `attach_copies`; how long the next part of a staged copy is handed over to it.
  virtual DeviceIndex copies_at() const { return {}; }
  virtual Duration hand_over() const { return {}; }
  /// Attaches its copies, then what waits for its one queue and has not been attached with them.
  virtual void attach_copies(Domain&) {}
  virtual void attach_queue(Domain&) {}

  /// From now on counts what comes to its memory to be written and is refused there; before the domain is built.
  virtual void count_refused_writes() {}
  /// A copy of its counters, a struct of its kind; the fabric has computed exactly until `now`.
  virtual std::any count(Instant /*now*/) { return {}; }
  /// Adds to the results what happened between two such copies.
  virtual void report(Report& /*report*/, const std::string& /*name*/, const std::any& /*before*/,
                      const std::any& /*after*/) const {}
  /// Its report takes in what cores have moved, so it comes after theirs.
  virtual bool reports_after_cores() const { return false; }

 private:
  fabric::NodeId node_;
};

}  // namespace peerpath::platform
