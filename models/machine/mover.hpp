// Moves the bytes of transactions: of each TLP at the moment at which it arrives at its completer.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "peerpath/fabric/tlp_listener.hpp"

namespace peerpath::machine {

/// Memory or registers that answer requests.
class Region {
 public:
  virtual ~Region() = default;
  /// False: the access failed.
  virtual bool read(std::uint64_t offset, std::span<std::uint8_t> into) = 0;
  virtual bool write(std::uint64_t offset, std::span<const std::uint8_t> from) = 0;
};

/// A transaction and its bytes.
struct Operation {
  std::uint64_t cookie = 0;          ///< as its submitter knows it
  const void* submitter = nullptr;   ///< is told of its end
  const void* completer = nullptr;   ///< takes the whole of a write when it is delivered; nullptr: bytes move by TLPs
  std::shared_ptr<Region> region{};  ///< nullptr: no completer for this address
  std::uint64_t offset = 0;          ///< of its first byte in the region
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes{};  ///< of a write; of a read, those that have been taken so far
  bool failed = false;                ///< an access of the region
};

/// Listens to all TLPs of a domain. At any instant, bytes move before devices react.
class Mover final : public fabric::TlpListener {
 public:
  /// Before anything is seen; the topology must outlive this.
  void watch(const fabric::Topology& topology) { topology_ = &topology; }

  /// Returns the number that the transaction has as its cookie.
  std::uint64_t add(Operation operation);
  /// nullptr after its end.
  std::shared_ptr<Operation> find(std::uint64_t number) const;
  void end(std::uint64_t number) { operations_.erase(number); }
  /// It ends when everything until `done` has happened.
  void end_after(std::uint64_t number, Instant done) { ending_.emplace(done, number); }

  /// When bytes move next.
  Instant next() const { return moves_.empty() ? never : moves_.front().when; }
  /// Moves all that arrive at `now` or before.
  void run(Instant now);

  void see(const fabric::TlpRecord& tlp, const fabric::Transaction& asked) override;

  std::size_t under_way() const { return operations_.size(); }

 private:
  struct Move {
    Instant when{};
    std::shared_ptr<Operation> operation;
    std::uint64_t address = 0;
    std::size_t size = 0;
    bool write = false;
  };
  static void make(const Move& move);

  const fabric::Topology* topology_ = nullptr;
  std::unordered_map<std::uint64_t, std::shared_ptr<Operation>> operations_;
  std::uint64_t numbers_ = 0;
  std::deque<Move> moves_;  ///< in order of time
  std::set<std::pair<Instant, std::uint64_t>> ending_;
};

}  // namespace peerpath::machine
