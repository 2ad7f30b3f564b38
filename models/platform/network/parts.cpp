#include "platform/network/parts.hpp"

#include <algorithm>

namespace peerpath::network_run {

Parts::Parts(network::Network& network, Ranks* ranks) : network_{network}, ranks_{ranks} {
  if (ranks_ == nullptr) return;
  const auto owner = network::divide(network.graph(), ranks_->count());
  lookahead_ = network::lookahead(network.graph(), owner);
  network_.keep(owner, ranks_->count(), ranks_->number());
  out_.resize(ranks_->count());
  in_.resize(ranks_->count());
}

bool Parts::keeps_together(int hosts) const {
  if (ranks_ == nullptr || hosts == 1) return true;
  const auto& graph = network_.graph();
  const auto owner = network::divide(graph, ranks_->count());
  const auto count = static_cast<std::size_t>(hosts);
  for (std::size_t h = 0; h < graph.hosts.size(); ++h)
    if (owner[graph.hosts[h]] != owner[graph.hosts[h - h % count]]) return false;
  return true;
}

/// Hands over what has crossed. Returns when the next thing is due anywhere.
Instant Parts::exchange() {
  auto next = network_.next();
  for (network::PartIndex r = 0; r < out_.size(); ++r)
    for (const auto& crossing : network_.outbox(r)) next = std::min(next, crossing.when);
  for (network::PartIndex r = 0; r < out_.size(); ++r) {
    auto& outbox = network_.outbox(r);
    out_[r].clear();
    put(out_[r], &next, 1);
    put(out_[r], outbox.data(), outbox.size());
    outbox.clear();
  }
  ranks_->exchange(out_, in_);
  for (std::uint32_t r = 0; r < in_.size(); ++r) {
    if (r == ranks_->number()) continue;
    Reader reader{in_[r]};
    next = std::min(next, reader.take<Instant>());
    while (!reader.empty()) network_.take_in(reader.take<network::Crossing>());
  }
  return next;
}

Instant Parts::run(Instant until, const std::function<bool()>& stop) {
  constexpr std::int64_t events = 1 << 14;  // a few milliseconds
  if (ranks_ == nullptr) {
    while (!network_.run(until, events))
      if (stop && stop()) return network_.next();
    return until;
  }
  while (true) {
    const auto next = exchange();
    if (next > until) return until;
    const auto last = next + std::min(lookahead_, never - next) - Duration{1};
    network_.run(std::min(until, last));
  }
}

std::optional<network::PauseCircle> Parts::deadlock(Instant now, Duration patience) {
  auto waits = network_.waits(now, patience);
  if (ranks_ != nullptr) {
    for (auto& buffer : out_) {
      buffer.clear();
      put(buffer, waits.data(), waits.size());
    }
    ranks_->exchange(out_, in_);
    for (std::uint32_t r = 0; r < in_.size(); ++r) {
      if (r == ranks_->number()) continue;
      for (Reader reader{in_[r]}; !reader.empty();) waits.push_back(reader.take<network::PauseWait>());
    }
  }
  return network::find_circle(std::move(waits));
}

void Parts::gather(std::vector<std::string>& words) {
  if (ranks_ == nullptr) return;
  for (auto& buffer : out_) buffer.clear();
  if (ranks_->number() != 0)
    for (const auto& word : words) {
      const auto size = word.size();
      put(out_[0], &size, 1);
      put(out_[0], word.data(), size);
    }
  ranks_->exchange(out_, in_);
  if (ranks_->number() != 0) return;
  for (std::uint32_t r = 1; r < ranks_->count(); ++r) {
    Reader reader{in_[r]};
    for (auto& word : words) {
      std::string theirs(reader.take<std::size_t>(), ' ');
      for (auto& letter : theirs) letter = reader.take<char>();
      if (word.empty()) word = std::move(theirs);
    }
  }
}

template <class T, class Merge>
void Parts::share(std::vector<T>& values, const Merge& merge) {
  if (ranks_ == nullptr) return;
  for (auto& buffer : out_) {
    buffer.clear();
    put(buffer, values.data(), values.size());
  }
  ranks_->exchange(out_, in_);
  for (std::uint32_t r = 0; r < in_.size(); ++r) {
    if (r == ranks_->number()) continue;
    Reader reader{in_[r]};
    for (auto& value : values) merge(value, reader.take<T>());
  }
}

void Parts::share(std::vector<std::int64_t>& sums) {
  share(sums, [](std::int64_t& a, std::int64_t b) { a += b; });
}

void Parts::share(std::vector<observe::Histogram>& histograms) {
  share(histograms, [](observe::Histogram& a, const observe::Histogram& b) { a.merge(b); });
}

bool Parts::any(bool here) {
  if (ranks_ == nullptr) return here;
  for (auto& buffer : out_) {
    buffer.clear();
    put(buffer, &here, 1);
  }
  ranks_->exchange(out_, in_);
  for (std::uint32_t r = 0; r < in_.size(); ++r)
    if (r != ranks_->number()) here |= Reader{in_[r]}.take<bool>();
  return here;
}

}  // namespace peerpath::network_run
