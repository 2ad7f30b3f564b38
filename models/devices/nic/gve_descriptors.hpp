// Descriptor formats of gve in DQO mode with raw DMA addressing, to and from the datapath's types.
// Layouts: Linux drivers/net/ethernet/google/gve/gve_desc_dqo.h.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "devices/nic/gve_bytes.hpp"
#include "devices/nic/rings.hpp"
#include "peerpath/net/layer4_checksum.hpp"

namespace peerpath::nic::gve {

using Descriptor32 = std::array<std::uint8_t, 32>;
using Descriptor16 = std::array<std::uint8_t, 16>;
using Descriptor8 = std::array<std::uint8_t, 8>;

/// Packet type numbers, as the device announces them in the ptype map: layer 3 and layer 4 in three bits each.
inline constexpr std::size_t ptypes = 1024;
std::uint16_t ptype_of(net::Layer3 layer3, net::Layer4 layer4);
/// Entry of the ptype map: gve's codes of layer 3 (0 unknown, 1 other, 2 IPv4, 3 IPv6) and 4 (0, 1 other, 2 TCP, 3
/// UDP).
std::array<std::uint8_t, 2> ptype_entry(std::uint16_t ptype);

/// Buffer descriptor. Both addresses are bus addresses; which device answers there is the fabric's business.
BufferDescriptor decode_buffer(const Descriptor32& raw);
Descriptor32 encode_buffer(const BufferDescriptor& buffer);

/// What the device found out about a frame beyond its headers.
struct RxOffload {
  net::Layer4Checksum layer4 = net::Layer4Checksum::unknown;
  bool ipv6_extension = false;
  bool write_failed = false;      ///< a DMA write of the frame did not succeed: the driver must not use it
  std::uint16_t rsc_segment = 0;  ///< payload bytes of each frame of which this one was made; 0: just one frame
};

/// Receive completion. The shell writes the generation bit, in the bytes `rx_generation_at` and the next, last.
Descriptor32 encode_rx_completion(const RxCompletion& completion, const RxOffload& offload = {});
inline constexpr std::size_t rx_generation_at = 4;
RxCompletion decode_rx_completion(const Descriptor32& raw);

/// Types of transmit completion.
enum class TxEvent : std::uint8_t { miss = 1, packet = 2, reinjection = 3, descriptor = 4 };
/// For `packet` the value is the completion tag, for `descriptor` the ring index behind the last one fetched. The first
/// two bytes, with the generation bit, are written last.
Descriptor8 encode_tx_completion(QueueIndex queue, TxEvent event, std::uint16_t value, bool generation);

/// A piece of packet data in memory.
struct Piece {
  BusAddress address{};
  Bytes size{};
};

/// A packet as its transmit descriptors describe it.
struct TxPacket {
  std::vector<Piece> pieces;
  Bytes size{};                    ///< of all pieces
  std::uint16_t mss = 0;           ///< > 0: TSO
  std::uint8_t header_length = 0;  ///< with TSO
  std::uint16_t tag = 0;
  bool checksum_offload = false;
  bool report_event = false;      ///< wants a descriptor completion
  std::uint32_t descriptors = 0;  ///< ring entries that it takes
};

/// Gathers descriptors in ring order into packets. What makes no sense (an unknown type, a data piece of 0 bytes, an
/// MSS outside 88..9728, more data descriptors than allowed, a TSO header longer than the packet) spoils its packet up
/// to its end.
class TxAssembler {
 public:
  static constexpr std::size_t max_pieces = 10;  ///< a packet without TSO
  static constexpr std::size_t max_tso_pieces =
      1024;  ///< bound on memory; TSO packets are limited per segment by the driver
  static constexpr std::int64_t max_size = 256 * 1024;

  struct Result {
    TxPacket packet;
    bool bad = false;
  };
  /// The packet that this descriptor ends, if it does.
  std::optional<Result> add(const Descriptor16& raw);
  void restart() { current_ = {}; }

 private:
  void context(const Descriptor16& raw);
  void piece(const Descriptor16& raw);

  Result current_;
};

}  // namespace peerpath::nic::gve
