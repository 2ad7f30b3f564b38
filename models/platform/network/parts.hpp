// A network that is played by one process or by several ranks.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <type_traits>

#include "network/network.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/observe/histogram.hpp"
#include "platform/network/ranks.hpp"

namespace peerpath::network_run {

/// Appends the values' bytes.
template <class T>
void put(Buffer& buffer, const T* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto at = buffer.size();
  buffer.resize(at + count * sizeof(T));
  if (count > 0) std::memcpy(buffer.data() + at, values, count * sizeof(T));
}

/// Reads what `put` has written, in its order.
class Reader {
 public:
  explicit Reader(const Buffer& buffer) : buffer_{buffer} {}
  bool empty() const { return at_ == buffer_.size(); }
  template <class T>
  T take() {
    T value;
    require(at_ + sizeof(T) <= buffer_.size(), "ranks disagree about the messages that they exchange");
    std::memcpy(static_cast<void*>(&value), buffer_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

 private:
  const Buffer& buffer_;
  std::size_t at_ = 0;
};

/// Without ranks the network as it is. With them each keeps a part of it (network::divide); time goes on in windows
/// that end before anything sent in them can come in at another part, and what has crossed is exchanged between two
/// windows. Windows begin with the first thing that is due anywhere.
class Parts {
 public:
  /// Before anything is due in the network.
  Parts(network::Network& network, Ranks* ranks);

  /// Whether so many hosts in a row, from the first on, are always in one part.
  bool keeps_together(int hosts) const;
  /// `stop` is asked now and then; where it says yes the run ends before its time. Of ranks none ends alone, so they do
  /// not ask. Returns until when all has happened.
  Instant run(Instant until, const std::function<bool()>& stop);
  std::optional<network::PauseCircle> deadlock(Instant now, Duration patience);
  /// Whether it is so for one of the ranks.
  bool any(bool here);
  /// Each rank's value, in rank 0: `merge` is called there with those of the others. They have as many.
  template <class T, class Merge>
  void gather(std::vector<T>& values, const Merge& merge);
  /// Sums, and all histograms together, on every rank.
  void share(std::vector<std::int64_t>& sums);
  void share(std::vector<observe::Histogram>& histograms);
  /// Words, likewise: where one has none, those of another.
  void gather(std::vector<std::string>& words);
  /// Sums, likewise.
  void sum(std::vector<std::int64_t>& values) {
    gather(values, [](std::int64_t& a, std::int64_t b) { a += b; });
  }

 private:
  Instant exchange();
  template <class T, class Merge>
  void share(std::vector<T>& values, const Merge& merge);

  network::Network& network_;
  Ranks* ranks_;
  Duration lookahead_{};
  std::vector<Buffer> out_, in_;
};

template <class T, class Merge>
void Parts::gather(std::vector<T>& values, const Merge& merge) {
  if (ranks_ == nullptr) return;
  for (auto& buffer : out_) buffer.clear();
  if (ranks_->number() != 0) put(out_[0], values.data(), values.size());
  ranks_->exchange(out_, in_);
  if (ranks_->number() != 0) return;
  for (std::uint32_t r = 1; r < ranks_->count(); ++r) {
    Reader reader{in_[r]};
    for (auto& value : values) merge(value, reader.take<T>());
  }
}

}  // namespace peerpath::network_run
