// DMA of an emulated device: transactions as in the model, and the bytes that they move.
#pragma once

#include <cstdint>
#include <span>

#include "peerpath/fabric/fabric.hpp"

namespace peerpath::device {

/// What a transaction of the model does not have.
struct Content {
  static constexpr std::size_t no_flag = ~std::size_t{0};

  std::span<const std::uint8_t> bytes{};  ///< of a posted write; good until `submit` returns
  std::size_t flag_at = no_flag;          ///< whoever polls sees the byte there and the next after all others
  bool counted = true;  ///< false: the device reads these bytes again, and that read is the one to count
};

/// Takes the transactions of a device to where their addresses lead.
class Bus {
 public:
  virtual ~Bus() = default;
  /// The device hears how the transaction ended by its cookie, which is its own and unique, and never before this call
  /// returns: `completed` with the data for a read, `arrived` for a posted write. Posted writes of a channel arrive in
  /// order, and a read does not pass a posted write before it.
  virtual void submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction, const Content& content) = 0;
};

}  // namespace peerpath::device
