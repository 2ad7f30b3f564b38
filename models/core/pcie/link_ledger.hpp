// The byte ledger of accesses that are carried out at once, as an emulator does: TLPs and bytes by link direction,
// requester and purpose, counted as the fabric counts them.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/pcie/split.hpp"

namespace peerpath::pcie {

/// Names devices and links by number, adds accesses up, and can be read at any time.
class LinkLedger {
 public:
  struct Link {
    std::string farther, nearer;  ///< from the root complex
    bool internal = false;        ///< inside the host: no link layer
  };
  struct Hop {
    std::uint32_t link = 0;
    bool up = false;  ///< towards the root complex
    auto operator<=>(const Hop&) const = default;
  };
  struct Access {
    std::uint32_t requester = 0, completer = 0;
    Operation op = Operation::memory_write;
    Purpose purpose = Purpose::payload;
    Status status = Status::success;
    std::uint64_t address = 0;
    Bytes bytes{};
    SplitRules rules{};
    std::span<const Hop> path{};  ///< of the request; completions go back the same way
  };
  struct Traffic {
    std::int64_t tlps = 0;
    Bytes data{}, overhead{};  ///< data as padded to double words
  };
  struct RouteTotal {
    std::int64_t accesses = 0, failed = 0;
    Bytes bytes{};  ///< of those that did not fail
  };
  struct RowKey {
    std::uint32_t link = 0;
    bool up = false;
    std::uint32_t requester = 0;
    Purpose purpose{};
    auto operator<=>(const RowKey&) const = default;
  };
  struct RouteKey {
    std::uint32_t requester = 0, completer = 0;
    Operation op{};
    Purpose purpose{};
    std::vector<Hop> path;
    auto operator<=>(const RouteKey&) const = default;
  };

  /// The number of a name; the same for the same name.
  std::uint32_t name(std::string_view name);
  std::uint32_t link(std::string_view farther, std::string_view nearer, bool internal = false);

  void add(const Access& access);
  /// Forgets what was counted, not the names.
  void reset();

  const std::string& name(std::uint32_t index) const { return names_[index]; }
  const std::vector<Link>& links() const { return links_; }
  const std::map<RowKey, Traffic>& rows() const { return rows_; }
  const std::map<RouteKey, RouteTotal>& routes() const { return routes_; }
  /// The nodes that a path passes: "nic0 -> sw0 -> gpu0".
  std::string way(std::span<const Hop> path) const;

 private:
  void count(const Access& access, const Hop& hop, const Runs& tlps, std::int64_t times);

  std::vector<std::string> names_;
  std::vector<Link> links_;
  std::map<RowKey, Traffic> rows_;
  std::map<RouteKey, RouteTotal> routes_;
};

}  // namespace peerpath::pcie
