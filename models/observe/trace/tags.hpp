// Which tag each request has, and which request a completion answers.
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <set>
#include <vector>

#include "observe/trace/sink.hpp"

namespace peerpath::trace {

/// The model counts tags and does not number them: a request gets the lowest number that is free at its requester, and
/// keeps it until its last completion has come in there. A trace that begins in the middle of a run sees all TLPs from
/// the run's start on, so its tags are those of the whole run.
class Tags {
 public:
  explicit Tags(const fabric::Topology& topology) : topology_{topology} {}

  /// Fills in what a record alone does not say. Shown in order of starts, every TLP of the run.
  Tlp complete(const fabric::TlpRecord& record, const fabric::Transaction& asked);
  /// Requests without their last completion.
  std::size_t outstanding(fabric::NodeId requester) const;

 private:
  struct Request {
    std::uint16_t tag = 0;
    Bytes bytes{}, left{};
  };
  struct Requester {
    std::set<std::uint16_t> free;
    std::uint16_t unused = 0;  ///< tags from here on have never been taken
    std::size_t taken = 0;
  };
  struct Timeout {
    Instant when;
    std::uint64_t number, address;
    fabric::NodeId requester;
    bool operator>(const Timeout& other) const { return when > other.when; }
  };
  using Key = std::pair<std::uint64_t, std::uint64_t>;  ///< transaction, address of the request

  Bytes length_of_request(const fabric::TlpRecord& record, const fabric::Transaction& asked) const;
  void take(const fabric::TlpRecord& record, const fabric::Transaction& asked, Bytes bytes);
  void give_back(fabric::NodeId requester, const Key& key);
  void time_out(Instant now);

  const fabric::Topology& topology_;
  std::map<Key, Request> requests_;
  std::map<fabric::NodeId, Requester> requesters_;
  std::map<std::uint64_t, Bytes> arrived_;  ///< by transaction: of what it is waited for
  std::priority_queue<Timeout, std::vector<Timeout>, std::greater<>> timeouts_;
};

}  // namespace peerpath::trace
