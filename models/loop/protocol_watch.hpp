// Holds what crosses the links of a running domain against the rules of the protocol.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "fabric/check/protocol_checker.hpp"

namespace peerpath::loop {

/// Gives transactions numbers by which the checker tells them apart, and shows it each TLP in order of starts.
class ProtocolWatch final : public fabric::TlpObserver {
 public:
  /// `further`: another observer, who sees the submitters' cookies, or nullptr. `still`: no link or route changes while
  /// it watches, so that idle lines are judged, too.
  ProtocolWatch(const fabric::Topology& topology, fabric::Fabric& fabric, fabric::TlpObserver* further,
                bool still = false);

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
  fabric::TlpObserver* further_;
  fabric::ProtocolChecker checker_;
};

}  // namespace peerpath::loop
