#include "platform/payload_owners.hpp"

#include <algorithm>
#include <iterator>

#include "devices/nic/cookie.hpp"
#include "transport/traffic/frame_stream.hpp"

namespace peerpath::platform {

std::optional<std::size_t> PayloadOwners::of_queue(fabric::NodeId nic, nic::QueueIndex queue) const {
  const auto found = queues_.find({nic, queue});
  return found == queues_.end() ? std::nullopt : std::optional{found->second};
}

/// Several entries may receive into one memory, or send from it: the packet or the queue tells them apart.
std::optional<std::size_t> PayloadOwners::nic_entry(fabric::NodeId nic, const nic::PacketJournal& journal,
                                                    std::uint64_t packed) const {
  const auto cookie = nic::Cookie::unpack(packed);
  if (cookie.dma == nic::Dma::rx_data) return transport::stream_of(journal.at(nic::PacketIndex{cookie.value}).handle);
  return cookie.dma == nic::Dma::tx_data ? of_queue(nic, cookie.queue) : std::nullopt;
}

std::optional<std::size_t> PayloadOwners::entry_of(fabric::NodeId requester, fabric::ChannelIndex channel,
                                                   const fabric::Transaction& transaction) {
  const Owner& by = owner(requester);
  if (!by.sources.empty())
    if (const auto source = by.sources.find(channel); source != by.sources.end()) return source->second;
  if (by.device != nullptr) {
    fabric::Delivery asked;
    asked.op = transaction.op;
    asked.purpose = transaction.purpose;
    asked.requester = requester;
    asked.target = transaction.target;
    asked.channel = channel;
    asked.cookie = transaction.cookie;
    if (const auto stream = by.streams.find(by.device->stream_of(asked)); stream != by.streams.end())
      return stream->second;
  }
  return by.packets == nullptr ? std::nullopt : nic_entry(requester, *by.packets, transaction.cookie);
}

std::uint16_t PayloadOwners::account_of(fabric::NodeId requester, fabric::ChannelIndex channel,
                                        const fabric::Transaction& transaction) {
  if (const auto entry = entry_of(requester, channel, transaction)) {
    const bool refused = pcie::request_has_data(transaction.op) && transaction.answer != pcie::Status::success;
    return static_cast<std::uint16_t>((refused ? first_refused() : 1) + *entry);
  }
  const auto copies = copies_.find({requester, transaction.op});
  if (copies == copies_.end()) return 0;
  return static_cast<std::uint16_t>(1 + entries_ + static_cast<std::size_t>(std::distance(copies_.begin(), copies)));
}

std::optional<std::size_t> PayloadOwners::entry_of_account(std::uint16_t account) const {
  if (account >= first_refused()) return account - first_refused();
  return account > 0 && account <= entries_ ? std::optional<std::size_t>{account - 1u} : std::nullopt;
}

Bytes PayloadOwners::carried(std::size_t entry, const std::vector<Bytes>& accounts, const std::vector<Bytes>& arrived,
                             Refused refused) const {
  Bytes all = accounts[entry + 1];
  if (refused == Refused::included) all += accounts[first_refused() + entry];
  std::size_t shared = 1 + entries_;
  for (const auto& [engine, entries] : copies_) {
    const Bytes copied = accounts[shared++];
    if (std::ranges::find(entries, entry) == entries.end() || copied == Bytes{0}) continue;
    if (entries.size() == 1) {
      all += copied;
      continue;
    }
    WideInt together = 0;
    for (const std::size_t one : entries) together += arrived[one].count();
    if (together > 0) all += Bytes{narrow(static_cast<WideInt>(copied.count()) * arrived[entry].count() / together)};
  }
  return all;
}

}  // namespace peerpath::platform
