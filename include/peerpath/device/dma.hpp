// DMA of an emulated device: transactions as in the model, and the bytes that they move.
#pragma once

#include <cstdint>
#include <span>

#include "peerpath/fabric/fabric.hpp"

namespace peerpath::device {

/// Data of a transaction. Transactions of the model have lengths only.
struct Content {
  static constexpr std::size_t no_flag = ~std::size_t{0};

  std::span<const std::uint8_t> bytes{};  ///< of a posted write; valid until `submit` returns
  std::size_t flag_at = no_flag;          ///< this byte and the next one become visible after all others
  bool counted = true;                    ///< false: not in the ledger, since the device reads these bytes again
};

/// The bus as a device sees it.
class Bus {
 public:
  virtual ~Bus() = default;
  /// Issues a transaction. Its cookie is unique for the device. After this call has returned, the device gets a
  /// delivery with that cookie: `completed` with the data of a read, or `arrived` for a posted write. Posted writes of
  /// a channel arrive in order, and a read does not pass an earlier posted write.
  virtual void submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction, const Content& content) = 0;
};

}  // namespace peerpath::device
