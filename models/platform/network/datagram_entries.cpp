#include "platform/network/datagram_entries.hpp"

#include "scenario/network/names.hpp"

namespace peerpath::network_run {

using namespace network_scenario;

void DatagramEntries::begin(std::size_t number, Instant now) {
  const auto& entry = entries_[number];
  const auto from = hosts_of(graph_, entry.from), to = hosts_of(graph_, entry.to);
  const auto key = static_cast<std::uint32_t>(number + 1);
  const roce::ReceiveRequests receives{entry.receives == 0 ? roce::ReceiveRequests::unlimited : entry.receives,
                                       entry.receive_time};
  std::vector<roce::AddressHandle> handles;
  for (const auto host : to) {
    const auto qp = fleet_.reserve(1);
    handles.push_back({host, qp, key});
    receivers_[qp] = number;
    if (fleet_.owns(host)) fleet_.open_datagrams(qp, host, key, receives);
  }
  for (const auto host : from)
    for (int q = 0; q < entry.qps; ++q) {
      const auto qp = fleet_.reserve(1);
      if (!fleet_.owns(host)) continue;
      fleet_.open_datagrams(qp, host, key);
      Sender sender{{number, entry.messages == 0 ? -1 : entry.messages}, {}, 0};
      for (const auto& handle : handles)
        if (handle.host != host) sender.to.push_back(handle);
      if (sender.to.empty()) continue;
      sender.turn = static_cast<std::size_t>(q) % sender.to.size();
      auto& kept = senders_[qp] = sender;
      for (int m = 0; m < entry.outstanding; ++m) post_next(qp, kept, now);
    }
}

void DatagramEntries::post_next(roce::QpIndex qp, Sender& sender, Instant now) {
  if (!sender.use.take()) return;
  const auto& to = sender.to[sender.turn];
  sender.turn = (sender.turn + 1) % sender.to.size();
  posted_[sender.use.entry] += entries_[sender.use.entry].size.count();
  fleet_.post_datagram(qp, to, static_cast<std::uint32_t>(entries_[sender.use.entry].size.count()), now);
}

void DatagramEntries::sent(roce::QpIndex qp, Instant now) { post_next(qp, senders_.at(qp), now); }

void DatagramEntries::arrived(const roce::Packet& packet, bool received, Instant now, std::vector<Tally>& tallies) {
  const auto found = receivers_.find(packet.destination_qp);
  if (found == receivers_.end()) return;
  auto& tally = tallies[found->second];
  ++(received ? tally.messages : tally.failed);
  if (received) tally.bytes += entries_[found->second].size.count();
  if (received) tally.latency.record(now - Instant{Duration{static_cast<std::int64_t>(packet.compare)}});
}

}  // namespace peerpath::network_run
