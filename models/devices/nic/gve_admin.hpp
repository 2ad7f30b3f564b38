// The commands of gve's admin queue. Layouts: Linux drivers/net/ethernet/google/gve/gve_adminq.h.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "devices/nic/gve_bytes.hpp"
#include "devices/nic/gve_device.hpp"

namespace peerpath::nic::gve {

inline constexpr std::size_t command_size = 64;
using Command = std::array<std::uint8_t, command_size>;

/// Answer to a command, as it stands in its slot.
enum class AdminStatus : std::uint32_t {
  passed = 1,
  already_exists = 0xffff'fff1,
  failed_precondition = 0xffff'fff5,
  invalid_argument = 0xffff'fff7,
  not_found = 0xffff'fff8,
  resource_exhausted = 0xffff'fffc,
  unimplemented = 0xffff'fffe,
};

/// Executes admin commands. State: which queues exist and which flow rules, as the driver sent them.
class Admin {
 public:
  Admin(const Offer& offer, GuestMemory& memory, Backend& backend);

  AdminStatus execute(const Command& command);
  /// Destroys all queues and forgets all rules.
  void reset();

  const RxQueueConfig* rx(QueueIndex queue) const;
  const TxQueueConfig* tx(QueueIndex queue) const;

 private:
  static constexpr std::size_t rule_size = 84;
  using Rule = std::array<std::uint8_t, rule_size>;

  AdminStatus describe(const Command& c);
  AdminStatus configure_resources(const Command& c);
  AdminStatus ptype_map(const Command& c);
  AdminStatus configure_rss(const Command& c);
  AdminStatus query_rss(const Command& c);
  AdminStatus report_stats(const Command& c);
  AdminStatus report_link_speed(const Command& c);
  AdminStatus create_rx(const Command& c);
  AdminStatus create_tx(const Command& c);
  AdminStatus destroy_rx(const Command& c);
  AdminStatus destroy_tx(const Command& c);
  AdminStatus extended(const Command& c);
  AdminStatus add_rule(std::uint32_t location, const Rule& rule);
  AdminStatus query_rules(const Command& c);

  bool ring_size_ok(std::uint64_t entries) const;
  bool write_resources(std::uint64_t address, std::uint32_t doorbell);
  AdminStatus write(std::uint64_t address, std::span<const std::uint8_t> bytes);

  Offer offer_;
  GuestMemory& memory_;
  Backend& backend_;
  std::vector<std::optional<RxQueueConfig>> rx_;
  std::vector<std::optional<TxQueueConfig>> tx_;
  std::map<std::uint32_t, Rule> rules_;
};

}  // namespace peerpath::nic::gve
