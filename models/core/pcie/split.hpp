// How a transaction becomes TLPs: requests cut at MPS and MRRS, answers cut at the completer's step (PCIe Base
// Spec 2.2.7, 2.3.1.1), and the double words and data credits of each piece.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

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

/// The pieces of one access in order of address, worked out one run at a time: a partial head, whole steps below and
/// above 4 GiB, a partial tail.
class Runs {
 public:
  /// What the pieces have in common.
  struct Form {
    bool carries_data = false;
    bool completion = false;
    Operation op{};
    int digest = 0;
  };

  class Iterator {
   public:
    constexpr explicit Iterator(const Runs& all) : all_{all}, left_{all.size_} { take(all.address_); }
    constexpr const Run& operator*() const { return run_; }
    constexpr const Run* operator->() const { return &run_; }
    constexpr Iterator& operator++() {
      if (left_ == 0)
        run_.count = 0;
      else
        take(run_[run_.count].address);
      return *this;
    }
    constexpr bool operator==(std::default_sentinel_t) const { return run_.count == 0; }

   private:
    constexpr void take(std::uint64_t address);

    const Runs& all_;
    std::uint64_t left_;  ///< bytes behind `run_`
    Run run_{};
  };

  /// Cut at multiples of `step`; in one piece without a step, or without bytes.
  constexpr Runs(Form form, std::uint64_t address, Bytes bytes, Bytes step = {})
      : form_{form},
        address_{address},
        size_{static_cast<std::uint64_t>(bytes.count())},
        step_{static_cast<std::uint64_t>(step.count())} {}

  constexpr Iterator begin() const { return Iterator{*this}; }
  static constexpr std::default_sentinel_t end() { return std::default_sentinel; }

  /// TLPs in all runs.
  constexpr std::int64_t pieces() const {
    if (step_ == 0 || size_ == 0) return 1;
    return static_cast<std::int64_t>((address_ + size_ - 1) / step_ - address_ / step_) + 1;
  }

 private:
  constexpr Piece piece(std::uint64_t address, std::uint64_t size) const {
    const Bytes bytes{static_cast<std::int64_t>(size)};
    const int data = form_.carries_data ? data_double_words(address, bytes) : 0;
    const int header =
        form_.completion ? completion_header_double_words : request_header_double_words(form_.op, address);
    return {address, bytes, data, header + form_.digest + data, (data + 3) / 4};
  }

  Form form_;
  std::uint64_t address_, size_, step_;
};

constexpr void Runs::Iterator::take(std::uint64_t address) {
  constexpr auto four_gib = std::uint64_t{1} << 32;
  const auto step = all_.step_;
  auto size = left_;
  std::uint64_t count = 1;
  if (step != 0 && size > step - address % step) {
    size = step - address % step;
    count = size == step ? left_ / step : 1;
    // The header grows at 4 GiB, so whole steps before and after it are two runs.
    if (count > 1 && !all_.form_.completion && address < four_gib) count = std::min(count, (four_gib - address) / step);
  }
  left_ -= size * count;
  run_ = {all_.piece(address, size), static_cast<std::int64_t>(count)};
}

/// What limits the TLPs of one sender.
struct SplitRules {
  Bytes max_payload{256};
  Bytes max_read_request{512};
  Bytes max_completion{256};
  bool ecrc = false;  ///< a digest of one double word in each TLP
};

/// The request TLPs of a transaction, by the rules of its requester.
constexpr Runs split_request(const SplitRules& rules, Operation op, std::uint64_t address, Bytes bytes) {
  const Runs::Form form{request_has_data(op), false, op, rules.ecrc ? 1 : 0};
  if (request_class(op) == TlpClass::posted) return {form, address, bytes, rules.max_payload};
  if (op == Operation::memory_read) return {form, address, bytes, rules.max_read_request};
  return {form, address, bytes};
}

/// The completions that answer one request TLP, by the rules of its completer.
constexpr Runs split_completion(const SplitRules& rules, Operation op, Status status, std::uint64_t address,
                                Bytes bytes) {
  const bool data = completion_has_data(op) && status == Status::success;
  const Runs::Form form{data, true, op, rules.ecrc ? 1 : 0};
  return data ? Runs{form, address, bytes, rules.max_completion} : Runs{form, address, Bytes{0}};
}

}  // namespace peerpath::pcie
