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

/// Bytes that a command points to.
struct AdminRead {
  std::uint64_t address = 0;
  std::size_t size = 0;
};
struct AdminWrite {
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
};
/// The answer to a command. If a write of it fails, the status is `invalid_argument` instead.
struct AdminAnswer {
  AdminAnswer(AdminStatus s) : status{s} {}  // NOLINT(google-explicit-constructor): most commands have nothing to write
  AdminAnswer(std::uint64_t address, std::vector<std::uint8_t> bytes) : writes{{address, std::move(bytes)}} {}
  AdminStatus status = AdminStatus::passed;
  std::vector<AdminWrite> writes;
};

/// Executes admin commands, whose memory accesses are the caller's. State: which queues exist and which flow rules, as
/// the driver sent them.
class Admin {
 public:
  using Data = std::vector<std::vector<std::uint8_t>>;

  Admin(const Offer& offer, Backend& backend);

  /// The memory that a command needs before its execution.
  static std::vector<AdminRead> arguments(const Command& command);
  /// `arguments`: contents of that memory, in order. Queues are created later, by `written`.
  AdminAnswer execute(const Command& command, const Data& arguments);
  /// All writes of the answer have succeeded.
  void written(const Command& command);
  /// The command ends DMA: it is answered when all that was under way has ended.
  static bool ends_dma(const Command& command);
  /// Destroys all queues and forgets all rules.
  void reset();

  const RxQueueConfig* rx(QueueIndex queue) const;
  const TxQueueConfig* tx(QueueIndex queue) const;

 private:
  static constexpr std::size_t rule_size = 84;
  using Rule = std::array<std::uint8_t, rule_size>;

  static std::vector<AdminRead> rss_arguments(const Command& c);
  static std::vector<AdminRead> rule_arguments(const Command& c);
  AdminAnswer describe(const Command& c);
  AdminAnswer configure_resources(const Command& c);
  AdminAnswer ptype_map(const Command& c);
  AdminStatus configure_rss(const Command& c, const Data& arguments);
  AdminAnswer query_rss(const Command& c);
  AdminAnswer report_stats(const Command& c);
  AdminAnswer report_link_speed(const Command& c);
  AdminAnswer create_rx(const Command& c);
  AdminAnswer create_tx(const Command& c);
  AdminStatus destroy_rx(const Command& c);
  AdminStatus destroy_tx(const Command& c);
  AdminStatus extended(const Command& c, const Data& arguments);
  AdminStatus add_rule(std::uint32_t location, const Rule& rule);
  AdminAnswer query_rules(const Command& c);

  bool ring_size_ok(std::uint64_t entries) const;

  Offer offer_;
  Backend& backend_;
  std::optional<RxQueueConfig> new_rx_;  ///< while its answer is written
  std::optional<TxQueueConfig> new_tx_;
  std::vector<std::optional<RxQueueConfig>> rx_;
  std::vector<std::optional<TxQueueConfig>> tx_;
  std::map<std::uint32_t, Rule> rules_;
};

}  // namespace peerpath::nic::gve
