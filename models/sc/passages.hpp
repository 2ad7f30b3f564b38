// What goes through foreign components that stand between our ports: whose it is, and where it is to go.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tlm>
#include <vector>

#include "peerpath/fabric/fabric.hpp"

namespace peerpath::sc {

class Guide;

/// Goes with the payload through the foreign component, so that what comes out is known again. An interconnect keeps
/// the extensions of what passes it.
struct PassageTag final : tlm::tlm_extension<PassageTag> {
  explicit PassageTag(std::uint64_t number = 0) : passage{number} {}
  tlm::tlm_extension_base* clone() const override { return new PassageTag{passage}; }
  void copy_from(const tlm::tlm_extension_base& other) override {
    passage = static_cast<const PassageTag&>(other).passage;
  }
  std::uint64_t passage;
};

/// A transaction of one of our devices that is on such a way.
struct Passage {
  fabric::Transaction asked{};
  fabric::NodeId requester{};
  fabric::ChannelIndex channel{};  ///< as its device numbers it
  Guide* sender = nullptr;
  Bytes left{};           ///< of a posted one: not yet sent on
  Bytes missing{};        ///< of a posted one: not yet arrived
  bool to_leave = false;  ///< its device is still to be told that it has left
  bool refused = false;
};

/// A foreign component between two ports: a router whose leaves are the endpoints of its two sides.
struct Between {
  fabric::NodeId hub{};
  fabric::NodeId side[2]{};  ///< the endpoint that takes what comes from that side
  fabric::LinkId link[2]{};  ///< to the port of that side
};

class Passages {
 public:
  void add(const Between& between) { betweens_.push_back(between); }
  bool any() const { return !betweens_.empty(); }
  /// Works out the ways; when the topology is complete.
  void prepare(const fabric::Topology& topology);
  /// The foreign side that has to take what `from` sends to `to`, if one stands between them.
  std::optional<fabric::NodeId> via(fabric::NodeId from, fabric::NodeId to) const;

  std::uint64_t open(const Passage& passage);
  /// nullptr if there is none of this number.
  Passage* find(std::uint64_t number);
  void close(std::uint64_t number) { open_.erase(number); }
  /// The delivery as its requester and its target see it.
  static fabric::Delivery as_asked(const Passage& passage, const fabric::Delivery& delivery);

 private:
  std::vector<Between> betweens_;
  std::vector<std::optional<fabric::NodeId>> via_;  ///< [from * nodes + to]
  std::size_t nodes_ = 0;
  std::map<std::uint64_t, Passage> open_;
  std::uint64_t next_ = 0;
};

}  // namespace peerpath::sc
