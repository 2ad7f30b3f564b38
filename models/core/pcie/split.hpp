// How a transaction becomes TLPs: requests cut at MPS and MRRS, answers cut at the completer's step (PCIe Base
// Spec 2.2.7, 2.3.1.1), and the double words and data credits of each piece.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "peerpath/pcie/tlp.hpp"

namespace peerpath::pcie {

/// Double words that carry `bytes` at `address`: the first and the last may be used in part; none for no bytes.
constexpr int data_double_words(std::uint64_t address, Bytes bytes) {
  const auto lead = static_cast<std::int64_t>(address % 4);
  return bytes.count() == 0 ? 0 : static_cast<int>((lead + bytes.count() + 3) / 4);
}

/// Header of a request TLP: four double words for messages and for addresses of 4 GiB and above, else three.
constexpr int request_header_double_words(Operation op, std::uint64_t address) {
  return op == Operation::message || (address >> 32) != 0 ? 4 : 3;
}

inline constexpr int completion_header_double_words = 3;

/// What one TLP carries.
struct Piece {
  std::uint64_t address = 0;
  Bytes bytes{};    ///< of the access: also for a read request, which carries none of them
  int data_dw = 0;  ///< double words of data carried
  int dw = 0;       ///< header, digest and data
  int units = 0;    ///< data credits
  auto operator<=>(const Piece&) const = default;
};

/// `count` TLPs that differ only in their address: each begins where the one before it ends.
struct Run {
  Piece first{};
  std::int64_t count = 0;

  constexpr Piece operator[](std::int64_t i) const {
    Piece piece = first;
    piece.address += static_cast<std::uint64_t>(i * first.bytes.count());
    return piece;
  }
};

/// The pieces of one access in order of address: a partial head, whole steps below and above 4 GiB, a partial tail.
class Runs {
 public:
  constexpr const Run* begin() const { return runs_.data(); }
  constexpr const Run* end() const { return runs_.data() + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr const Run& operator[](std::size_t i) const { return runs_[i]; }
  constexpr void push(const Run& run) { runs_[size_++] = run; }

  /// TLPs in all runs.
  constexpr std::int64_t pieces() const {
    std::int64_t n = 0;
    for (const Run& run : *this) n += run.count;
    return n;
  }

 private:
  std::array<Run, 4> runs_{};
  std::size_t size_ = 0;
};

/// The common case, without looking at the rest: `bytes` at `address` are whole steps below or above 4 GiB.
constexpr bool whole_steps(std::uint64_t address, Bytes bytes, Bytes step) {
  const auto mask = static_cast<std::uint64_t>(step.count()) - 1;
  const auto size = static_cast<std::uint64_t>(bytes.count());
  return (static_cast<std::uint64_t>(step.count()) & mask) == 0 && ((address | size) & mask) == 0 && size != 0 &&
         address >> 32 == (address + size - 1) >> 32;
}

/// What limits the TLPs of one sender.
struct SplitRules {
  Bytes max_payload{256};
  Bytes max_read_request{512};
  Bytes max_completion{256};
  bool ecrc = false;  ///< a digest of one double word in each TLP
};

/// The request TLPs of a transaction, by the rules of its requester.
Runs split_request(const SplitRules& rules, Operation op, std::uint64_t address, Bytes bytes);

/// The completions that answer one request TLP, by the rules of its completer.
Runs split_completion(const SplitRules& rules, Operation op, Status status, std::uint64_t address, Bytes bytes);

}  // namespace peerpath::pcie
