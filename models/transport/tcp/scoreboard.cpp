#include "transport/tcp/scoreboard.hpp"

#include <algorithm>

namespace peerpath::tcp {

void Scoreboard::add(const Sent& sent) {
  sent_.push(sent);
  out_ += sent.at.size();
}

Scoreboard::Acked Scoreboard::acknowledge(std::uint64_t una) {
  Acked out;
  bool waited = false;  // behind a gap: its time says nothing of the way
  while (!sent_.empty() && sent_.front().at.begin < una) {
    auto& s = sent_.front();
    const auto size = static_cast<std::int64_t>(std::min(una, s.at.end) - s.at.begin);
    out_ -= size;
    out.bytes += size;
    if (s.sacked)
      sacked_ -= size;
    else
      out.delivered += size;
    if (s.lost) lost_ -= size;
    if (s.again) again_ -= size;
    if (s.at.end > una) {
      s.at.begin = una;
      break;
    }
    waited = waited || s.repeated || s.sacked;
    out.sent = s.when;
    sent_.pop();
    ++first_;
  }
  if (waited) out.sent.reset();
  reno_ = std::min(reno_, out_);
  hint_ = std::max(hint_, first_);
  highest_ = std::max(highest_, first_);
  judged_ = std::max(judged_, first_);
  return out;
}

/// The number of the first segment that ends behind a position.
std::uint64_t Scoreboard::find(std::uint64_t position) const {
  std::size_t low = 0, high = sent_.size();
  while (low < high) {
    const auto middle = (low + high) / 2;
    if (sent_[middle].at.end <= position)
      low = middle + 1;
    else
      high = middle;
  }
  return first_ + low;
}

std::int64_t Scoreboard::mark(const std::array<Stretch, most_blocks>& blocks, std::size_t count) {
  std::int64_t fresh = 0;
  for (std::size_t b = 0; b < count; ++b) {
    auto block = blocks[b];
    if (sent_.empty() || block.end <= sent_.front().at.begin || block.begin >= block.end) continue;
    // A block that has only grown is looked at from its old end on.
    for (const auto& seen : seen_)
      if (seen.begin == block.begin && seen.end <= block.end) block.begin = std::max(block.begin, seen.end);
    for (auto n = find(block.begin); n < end() && at(n).at.end <= block.end; ++n) {
      auto& s = at(n);
      if (s.sacked || s.at.begin < block.begin) continue;
      const auto size = s.at.size();
      s.sacked = true;
      sacked_ += size;
      fresh += size;
      if (s.lost) lost_ -= size;
      if (s.again) again_ -= size;
      s.lost = s.again = false;
      highest_ = std::max(highest_, n + 1);
    }
  }
  for (std::size_t b = 0; b < count; ++b) seen_[b] = blocks[b];
  return fresh;
}

void Scoreboard::duplicate(std::int64_t bytes) {
  reno_ = std::min(reno_ + bytes, std::max<std::int64_t>(0, out_ - lost_ - sacked_ + again_));
}

void Scoreboard::lose(Sent& s) {
  if (s.sacked || s.lost) return;
  s.lost = true;
  lost_ += s.at.size();
}

void Scoreboard::find_lost(std::int64_t mss) {
  std::int64_t above = 0;
  auto edge = highest_;
  while (edge > judged_ && above <= 2 * mss) {
    --edge;
    if (at(edge).sacked) above += at(edge).at.size();
  }
  if (above <= 2 * mss) return;
  for (; judged_ < edge; ++judged_) {
    auto& s = at(judged_);
    if (s.sacked || s.lost) continue;
    lose(s);
    hint_ = std::min(hint_, judged_);
  }
}

void Scoreboard::lose_first() {
  if (sent_.empty()) return;
  auto& s = sent_.front();
  if (s.again) again_ -= s.at.size();
  s.again = false;
  lose(s);
  hint_ = first_;
}

void Scoreboard::lose_all() {
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    auto& s = sent_[i];
    if (s.again) again_ -= s.at.size();
    s.again = false;
    lose(s);
  }
  reno_ = 0;
  hint_ = first_;
}

const Sent* Scoreboard::next_lost() {
  if (lost_ == again_) return nullptr;
  while (hint_ < end() && (!at(hint_).lost || at(hint_).again)) ++hint_;
  return hint_ < end() ? &at(hint_) : nullptr;
}

void Scoreboard::sent_again(Instant now) {
  auto& s = at(hint_);
  s.again = s.repeated = true;
  s.when = now;
  again_ += s.at.size();
  ++hint_;
}

}  // namespace peerpath::tcp
