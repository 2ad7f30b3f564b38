// Transactions under way, and the requests of them that are being answered.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/engine/tlp_run.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric::engine {

/// A transaction under way.
struct Record {
  Transaction asked;
  NodeId requester{};
  ChannelIndex channel{};
  pcie::Status status = pcie::Status::success;  ///< of the parts that are over
  bool alive = false;                           ///< this record is in use
  bool rerouted = false;                        ///< routes have changed since it was submitted
  std::uint32_t tally = 0;
  std::array<std::uint32_t, 2>
      ways{};               ///< of its requests and completions: [target * kinds + kind] (Transmitter::routes)
  std::int64_t open = 0;    ///< posted: TLPs not taken in; else requests not answered
  std::int64_t unsent = 0;  ///< posted TLPs that have not left the requester, if that asked to be told
  std::int64_t lost = 0;    ///< requests that will get no answer and have not arrived yet
  Bytes missing{};          ///< as Delivery::missing, of the parts whose end is known
  Femto done = 0;           ///< the latest of those answered; of posted TLPs, the latest taken in

  /// Whether its TLPs of this class are posted requests that the target will not take.
  bool refused(int tlp_class) const {
    return tlp_class == static_cast<int>(pcie::TlpClass::posted) && asked.answer != pcie::Status::success;
  }

  Bytes missing_of(DeliveryKind delivery) const {
    if (delivery == DeliveryKind::arrived) return asked.answer == pcie::Status::success ? missing : asked.bytes;
    return delivery == DeliveryKind::completed ? missing : Bytes{};
  }

  /// Works out the routes of its TLPs.
  void set_ways() {
    const auto way = [](NodeId to, pcie::RouteKind kind) {
      return static_cast<std::uint32_t>(to.value() * pcie::route_kinds + static_cast<std::size_t>(kind));
    };
    ways = {way(asked.target, pcie::request_kind(asked.translated || asked.translation, asked.spoofed)),
            way(requester, asked.relaxed_ordering ? pcie::RouteKind::relaxed_completion : pcie::RouteKind::completion)};
  }

  /// The function that sends its TLPs of this class: the requester, for completions the completer.
  NodeId sender(int tlp_class) const {
    return tlp_class == static_cast<int>(pcie::TlpClass::completion) ? asked.target : requester;
  }

  Delivery told(DeliveryKind delivery, bool notify, pcie::Status as, Femto at) const {
    return {.kind = delivery,
            .notify = notify,
            .op = asked.op,
            .purpose = asked.purpose,
            .status = as,
            .translated = asked.translated,
            .translation = asked.translation,
            .spoofed = asked.spoofed,
            .requester = requester,
            .target = asked.target,
            .channel = channel,
            .account = asked.account,
            .cookie = asked.cookie,
            .request = {},
            .address = asked.address,
            .bytes = asked.bytes,
            .missing = missing_of(delivery),
            .ready = asked.ready,
            .done = Instant{Duration{at}}};
  }
};

/// One or several requests whose completions are under way, or one that an external endpoint has to answer.
struct Answer {
  std::uint32_t record = 0;
  std::int64_t open = 0;  ///< completions to come
  pcie::Status status = pcie::Status::success;
  bool lost = false;  ///< a completion went astray
  Femto done = 0;     ///< the latest of them
  std::uint64_t address = 0;
  Bytes bytes{};
  std::uint32_t next = nobody;        ///< the answer after it, if that is to the same transaction
  std::int32_t each = 0;              ///< completions for one request, if for several
  Femto entered = 0;                  ///< of a misdirected request: its completions enter their queue then
  std::vector<std::int32_t> missing;  ///< completions to come, by request, if these may overtake each other
};

/// Objects that are used again after they were given back, by number.
template <class T>
class Pool {
 public:
  std::uint32_t take() { return frees_ == 0 ? grow() : free_[--frees_]; }
  void give(std::uint32_t i) { free_[frees_++] = i; }
  T& operator[](std::uint32_t i) { return items_[i]; }
  const T& operator[](std::uint32_t i) const { return items_[i]; }
  std::size_t size() const { return items_.size(); }

 private:
  [[gnu::noinline]] std::uint32_t grow() {
    items_.emplace_back();
    free_.resize(items_.size());
    return static_cast<std::uint32_t>(items_.size() - 1);
  }

  std::vector<T> items_;
  std::vector<std::uint32_t> free_;  ///< the first `frees_` of them
  std::size_t frees_ = 0;
};

}  // namespace peerpath::fabric::engine
