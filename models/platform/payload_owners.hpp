// Which traffic entry a transaction moves payload for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "devices/nic/packet_journal.hpp"
#include "loop/reactor.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

/// Knows, by requester, whose payload its transactions move, and so in which account the fabric counts it: that of an
/// entry is its number plus one; those of copy engines, which work for several entries, follow, and then a second one
/// of each entry, for writes that their target will refuse; 0 is nobody's.
class PayloadOwners final : public loop::Accounts {
 public:
  /// What is known of one requester.
  struct Owner {
    std::map<fabric::ChannelIndex, std::size_t> sources;  ///< entries that have a channel of their own
    const Device* device = nullptr;                       ///< with engines of its own
    std::map<std::size_t, std::size_t> streams;           ///< entries by stream of these
    const nic::PacketJournal* packets = nullptr;          ///< of a NIC
  };

  /// Their number, before anything is asked.
  void set_entries(std::size_t entries) { entries_ = entries; }
  /// Which entry a transmit queue works for.
  void map_queue(fabric::NodeId nic, nic::QueueIndex queue, std::size_t entry) { queues_[{nic, queue}] = entry; }
  /// A stream of transfers that a device makes by an engine of its own.
  void map_stream(const Device& device, std::size_t stream, std::size_t entry) {
    owner(device.node()).device = &device;
    owner(device.node()).streams[stream] = entry;
  }
  /// A NIC whose packets are in this journal: so it is known whose payload its transactions move.
  void map_nic(fabric::NodeId nic, const nic::PacketJournal& journal) { owner(nic).packets = &journal; }
  /// A source of transfers that has a channel of its own.
  void map_source(fabric::NodeId requester, fabric::ChannelIndex channel, std::size_t entry) {
    owner(requester).sources[channel] = entry;
  }
  /// A GPU whose copy engines move payload of the entry by this operation.
  void map_copies(fabric::NodeId gpu, pcie::Operation op, std::size_t entry) { copies_[{gpu, op}].push_back(entry); }

  /// Accounts of the fabric that it needs.
  std::size_t accounts() const { return first_refused() + entries_; }
  /// The entry whose payload is counted in an account; none for accounts of copy engines and for 0.
  std::optional<std::size_t> entry_of_account(std::uint16_t account) const;
  std::uint16_t account_of(fabric::NodeId requester, fabric::ChannelIndex channel,
                           const fabric::Transaction& transaction) override;
  /// Whether transfers of a device's own engine are over when their deliveries are: no source, and no driver, tells.
  bool ends_with_delivery(const fabric::Delivery& delivery) {
    const Owner& by = owner(delivery.requester);
    return by.device != nullptr && !by.sources.contains(delivery.channel) && !by.device->tells_of_transfers();
  }
  /// The entry that a transmit queue works for, if any.
  std::optional<std::size_t> of_queue(fabric::NodeId nic, nic::QueueIndex queue) const;
  /// Payload of one entry out of the accounts of a direction of a link. What several entries share is theirs as
  /// `arrived`, the payload of each that came to its end. Writes that their target refuses cross links too.
  enum class Refused : std::uint8_t { included, left_out };
  Bytes carried(std::size_t entry, const std::vector<Bytes>& accounts, const std::vector<Bytes>& arrived,
                Refused refused) const;

 private:
  Owner& owner(fabric::NodeId requester) {
    if (owners_.size() <= requester.value()) owners_.resize(requester.value() + 1u);
    return owners_[requester.value()];
  }
  std::optional<std::size_t> entry_of(fabric::NodeId requester, fabric::ChannelIndex channel,
                                      const fabric::Transaction& transaction);
  std::optional<std::size_t> nic_entry(fabric::NodeId nic, const nic::PacketJournal& journal,
                                       std::uint64_t cookie) const;

  std::size_t first_refused() const { return 1 + entries_ + copies_.size(); }

  std::size_t entries_ = 0;
  std::map<std::pair<fabric::NodeId, nic::QueueIndex>, std::size_t> queues_;
  std::vector<Owner> owners_;  ///< by requester
  std::map<std::pair<fabric::NodeId, pcie::Operation>, std::vector<std::size_t>> copies_;
};

}  // namespace peerpath::platform
