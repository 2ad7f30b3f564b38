#include "devices/nic/packet_journal.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::nic {

PacketIndex PacketJournal::open(const PacketRecord& packet, int writes) {
  if (free_.empty()) {
    rows_.emplace_back();
    free_.reserve(rows_.size());  // giving a row back must not fail
    free_.push_back(PacketIndex{static_cast<std::uint32_t>(rows_.size() - 1)});
  }
  const auto index = free_.back();
  free_.pop_back();
  rows_[index.value()] = {packet, writes, false};
  ++in_flight_;
  return index;
}

void PacketJournal::written(PacketIndex index, Instant done, bool success) {
  auto& row = rows_[index.value()];
  require(row.writes > 0, "a packet has more writes than announced");
  row.record.memory = std::max(row.record.memory, done);
  row.record.lost = row.record.lost || !success;
  if (--row.writes == 0 && row.consumed) finish(index);
}

void PacketJournal::consumed(PacketIndex index, Instant when) {
  auto& row = rows_[index.value()];
  require(!row.consumed, "a packet is consumed twice");
  row.consumed = true;
  row.record.application = when;
  if (row.writes == 0) finish(index);
}

void PacketJournal::finish(PacketIndex index) {
  auto& record = rows_[index.value()].record;
  if (record.application < record.memory) {
    ++overtaken_;
    record.application = record.memory;
  }
  --in_flight_;
  free_.push_back(index);
  if (sink_ != nullptr) sink_->on_packet(record);
}

}  // namespace peerpath::nic
