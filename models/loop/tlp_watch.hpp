// Sees what crosses the links of a running domain: holds it against the rules of the protocol, and shows it to a trace.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fabric/check/protocol_checker.hpp"
#include "peerpath/fabric/tlp_listener.hpp"

namespace peerpath::loop {

/// Who watches TLPs.
struct TlpWatchers {
  bool checker = false;                     ///< of the protocol's rules
  bool still = false;                       ///< no link or route changes, so that idle lines are judged, too
  fabric::TlpObserver* observer = nullptr;  ///< sees TLPs as they are computed, with the submitters' cookies
  fabric::TlpListener* listener = nullptr;  ///< sees them in order, with their transactions

  bool any() const { return checker || listener != nullptr; }
};

/// Gives transactions numbers by which they are told apart, and shows each TLP in order of starts.
class TlpWatch final : public fabric::TlpObserver {
 public:
  TlpWatch(const fabric::Topology& topology, fabric::Fabric& fabric, const TlpWatchers& watchers);

  /// The number that takes the place of the transaction's cookie, and the cookie again.
  std::uint64_t number(const fabric::Transaction& transaction);
  std::uint64_t cookie(const fabric::Delivery& delivery);

  void observe(const fabric::TlpRecord& tlp) override;
  /// All starts before `horizon` have been observed.
  void reached(Instant horizon);

  std::vector<std::string> violations() const;

 private:
  const bool forgets_;  ///< what is over: where TLPs stray, one may still be under way
  std::map<std::uint64_t, fabric::Transaction> asked_;
  std::deque<std::pair<Instant, std::uint64_t>> over_;  ///< whose last TLP may still be under way
  std::uint64_t next_ = 0;
  std::vector<fabric::TlpRecord> seen_;
  TlpWatchers watchers_;
  std::optional<fabric::ProtocolChecker> checker_;
};

}  // namespace peerpath::loop
