// Holds what crossed the links against the rules of the protocol, independently of how it was computed.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fabric/check/work_conservation.hpp"
#include "fabric/vocabulary/wiring.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {

enum class ProtocolRule : std::uint8_t {
  max_payload,          ///< a TLP carries at most the MPS of its sender (PCIe Base Spec 2.2.2)
  page_crossing,        ///< no request crosses a 4 KiB boundary (2.2.7)
  completion_boundary,  ///< completions after the first of a request begin at multiples of the RCB (2.3.1.1)
  tag_reuse,            ///< no more requests outstanding than tags (2.2.6.2)
  credit_overrun,       ///< no more in the buffer of a router than its credits allow (2.6.1)
  ordering,             ///< nothing passes within a class, ingress and egress, nor a posted TLP without leave (2.4.1)
  virtual_channel,      ///< a TLP goes by the virtual channel of its traffic class (2.5.3)
  work_conservation,    ///< a router does not let a line idle while a TLP could start on it
};
inline constexpr std::size_t protocol_rules = 8;

constexpr std::array<EnumName<ProtocolRule>, protocol_rules> enum_names(ProtocolRule) {
  return {{{"max_payload", ProtocolRule::max_payload},
           {"page_crossing", ProtocolRule::page_crossing},
           {"completion_boundary", ProtocolRule::completion_boundary},
           {"tag_reuse", ProtocolRule::tag_reuse},
           {"credit_overrun", ProtocolRule::credit_overrun},
           {"ordering", ProtocolRule::ordering},
           {"virtual_channel", ProtocolRule::virtual_channel},
           {"work_conservation", ProtocolRule::work_conservation}}};
}

struct Violation {
  ProtocolRule rule{};
  std::string what;  ///< which TLP, on which link, when
};

/// Checks TLPs in order of their starts. What is asked for is known by its cookie, so cookies must be unique.
///
/// The data that a TLP carries is checked; of a read request its length is not seen on a link. An atomic is as its
/// asker aligned it. Tags are not checked where TLPs may go astray; credits only of buffers in routers, since when an
/// endpoint has taken a TLP in cannot be seen on a link.
class ProtocolChecker {
 public:
  using Asked = std::function<const Transaction&(std::uint64_t cookie)>;

  /// `still`: no link or route changes while it watches, so that idle lines can be judged.
  ProtocolChecker(const Topology& topology, Asked asked, bool still = false);

  void see(const TlpRecord& tlp);
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  /// A TLP in the buffer of a router.
  struct Waiting {
    TlpRecord tlp;
    std::uint64_t number = 0;  ///< in order of entry into the ingress
    int units = 0;
  };
  struct Left {
    Instant free{};
    int units = 0;
  };
  /// Of what has left a buffer by one virtual channel of one port: one more than the highest number.
  struct Lane {
    std::array<std::uint64_t, pcie::tlp_classes> left{};  ///< by class
    std::uint64_t behind_posted = 0;                      ///< of those that may not pass posted ones
    std::map<NodeId, std::uint64_t> behind_own;           ///< of those that may not pass those of their sender
  };
  /// Behind one virtual channel of one direction of a link: what waits at the router there.
  struct Buffer {
    std::array<std::deque<Waiting>, pcie::tlp_classes> waiting;
    std::array<std::deque<Left>, pcie::tlp_classes> left;  ///< whose credits may not be back yet
    std::uint64_t entered = 0;
    std::map<unsigned, Lane> lanes;
  };

  void check_size(const TlpRecord& tlp);
  void check_channel(const TlpRecord& tlp);
  void check_tags(const TlpRecord& tlp);
  void enter(const TlpRecord& tlp);
  void leave(const TlpRecord& tlp);
  void check_passing(const TlpRecord& tlp, std::uint64_t number, Lane& lane);
  void add(ProtocolRule rule, const TlpRecord& tlp, const std::string& what);

  NodeId from(const TlpRecord& tlp) const;
  NodeId to(const TlpRecord& tlp) const;
  const Node& node(NodeId id) const { return topology_.nodes[id.value()]; }
  static NodeId sender(const TlpRecord& tlp) {
    return tlp.tlp_class == pcie::TlpClass::completion ? tlp.target : tlp.requester;
  }

  const Topology& topology_;
  const Wiring wiring_;
  Asked asked_;
  std::vector<Buffer> buffers_;  ///< (link * 2 + direction) * 2 + virtual channel
  std::map<NodeId, std::multimap<Instant, int>> tags_back_;
  std::map<NodeId, int> tags_out_;
  std::map<NodeId, Instant> line_free_;  ///< since when an endpoint could have sent the next TLP
  std::optional<WorkConservation> conservation_;
  std::vector<Violation> violations_;
};

}  // namespace peerpath::fabric
