// Who answers for which bus addresses of a domain, and the bytes behind them as foreign components see them.
#pragma once

#include <cstdint>
#include <map>
#include <tlm>
#include <vector>

#include "platform/domain.hpp"
#include "sc/memory_image.hpp"
#include "sc/passages.hpp"

namespace peerpath::sc {

class ForeignEndpoint;

/// The windows of all nodes. Debug transport and direct access take the way that this map says, at once: no fabric, no
/// time, no count of bytes.
class MemoryMap {
 public:
  using Claim = platform::Claim;

  /// Who answers for all bytes of [address, address + size), or nullptr.
  const Claim* find(std::uint64_t address, std::uint64_t size = 1) const;

  void add(fabric::NodeId node, ForeignEndpoint& foreign) { foreign_[node] = &foreign; }
  const std::map<fabric::NodeId, ForeignEndpoint*>& foreign() const { return foreign_; }
  ForeignEndpoint* foreign_at(fabric::NodeId node) const;
  const std::vector<Claim>& claims() const { return domain_.claims(); }
  /// Whom `from` asks for the bytes of a claim: the foreign target that keeps them, a foreign component on the way
  /// there, or nobody, as they are in the node's image.
  struct Keeper {
    ForeignEndpoint* foreign = nullptr;
    std::uint64_t shift = 0;
  };
  Keeper keeper(fabric::NodeId from, const Claim& claim) const;
  MemoryImage& image(fabric::NodeId node) { return images_[node]; }

  /// Returns how many bytes it moved: all up to the first that no memory is behind.
  unsigned debug(fabric::NodeId from, tlm::tlm_generic_payload& payload);
  /// Whether there may be a pointer to the memory at the payload's address. The latencies are those of a foreign
  /// target, or 0. If not, `dmi` says for which addresses the answer would be the same.
  bool direct(fabric::NodeId from, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

  MemoryMap(const platform::Domain& domain, const Passages& passages) : domain_{domain}, passages_{passages} {}

 private:
  const platform::Domain& domain_;
  const Passages& passages_;
  std::map<fabric::NodeId, ForeignEndpoint*> foreign_;
  std::map<fabric::NodeId, MemoryImage> images_;
};

}  // namespace peerpath::sc
