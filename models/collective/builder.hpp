// Writes schedules whose messages wait for any number of others.
#pragma once

#include "collective/schedule.hpp"

namespace peerpath::collective {

class Builder {
 public:
  using Causes = std::vector<std::uint32_t>;

  /// A message that waits for those; each is `Send::at_once`, or one that its rank gets, sends or joins.
  std::uint32_t send(std::uint32_t from, std::uint32_t to, Bytes bytes, Causes causes) {
    std::erase(causes, Send::at_once);
    while (causes.size() > 2) {
      const auto both = add({from, from, Bytes{}, causes[0], causes[1]});
      causes.erase(causes.begin());
      causes.front() = both;
    }
    causes.resize(2, Send::at_once);
    return add({from, to, bytes, causes[0], causes[1]});
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(out_.size()); }
  Schedule take() { return std::move(out_); }

 private:
  std::uint32_t add(const Send& send) {
    out_.push_back(send);
    return static_cast<std::uint32_t>(out_.size() - 1);
  }

  Schedule out_;
};

}  // namespace peerpath::collective
