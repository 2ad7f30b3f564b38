// Where the fields of gve's admin commands are. Layouts: Linux drivers/net/ethernet/google/gve/gve_adminq.h.
#pragma once

#include "devices/nic/gve_bytes.hpp"

namespace peerpath::nic::gve {

/// A field of a command or of what one points to: offset and size in bytes, big-endian.
struct Field {
  std::size_t at = 0, size = 0;
};
constexpr std::uint64_t load(std::span<const std::uint8_t> bytes, Field field) {
  return load_be(bytes, field.at, field.size);
}
constexpr void store(std::span<std::uint8_t> bytes, Field field, std::uint64_t value) {
  store_be(bytes, field.at, field.size, value);
}

namespace command {

inline constexpr Field opcode{0, 4}, status{4, 4};

struct DescribeDevice {
  static constexpr Field address{8, 8}, version{16, 4}, room{20, 4};
};
/// Queues are told their doorbells one by one; here are those of the interrupt vectors.
struct ConfigureResources {
  static constexpr Field vector_doorbells{16, 8}, vectors{28, 4}, stride{32, 4}, queue_format{40, 1};
};
struct CreateTx {
  static constexpr Field queue{8, 4}, resources{16, 8}, ring{24, 8}, page_list{32, 4}, vector{36, 4},
      completion_ring{40, 8}, entries{48, 2}, completion_entries{50, 2};
};
struct CreateRx {
  static constexpr Field queue{8, 4}, vector{20, 4}, resources{24, 8}, completion_ring{32, 8}, buffer_ring{40, 8},
      page_list{48, 4}, completion_entries{52, 2}, buffer_size{54, 2}, buffer_entries{56, 2}, coalesce{58, 1},
      header_buffer_size{60, 2};
};
/// Of either way.
struct DestroyQueue {
  static constexpr Field queue{8, 4};
};
struct ConfigureRss {
  static constexpr Field key_size{12, 2}, table_size{14, 2}, key{16, 8}, table{24, 8};
};
struct QueryRss {
  static constexpr Field room{8, 8}, address{16, 8};
};
struct ReportStats {
  static constexpr Field room{8, 8}, address{16, 8};
};
struct ReportLinkSpeed {
  static constexpr Field address{8, 8};
};
struct GetPtypeMap {
  static constexpr Field room{8, 8}, address{16, 8};
};
struct QueryFlowRules {
  static constexpr Field query{8, 2}, first{12, 4}, room{16, 8}, address{24, 8};
};
/// A command that does not fit into the slot, and where the rest of it is.
struct Extended {
  static constexpr Field opcode{8, 4}, size{12, 4}, address{16, 8};
};

}  // namespace command

/// What the device describes itself with; options follow.
struct DeviceDescriptor {
  static constexpr std::size_t size = 40;
  static constexpr Field tx_entries{10, 2}, rx_entries{12, 2}, queues{14, 2}, mtu{16, 2}, counters{18, 2}, mac{24, 6},
      options{30, 2}, total{32, 2};
};
/// What a created queue is told.
struct QueueResources {
  static constexpr std::size_t size = 8;
  static constexpr Field doorbell{0, 4};
};
/// The rest of the extended command that changes a flow rule.
struct FlowRuleChange {
  static constexpr std::size_t size = 92;
  static constexpr Field operation{0, 2}, location{88, 4};
  static constexpr std::size_t rule = 4;
};
struct FlowRuleFields {
  static constexpr Field type{0, 2}, queue{2, 2};
  static constexpr std::size_t key = 4, mask = 44, key_size = 40;
};
struct FlowKeyFields {
  static constexpr std::size_t source = 0, destination = 16;
  static constexpr Field source_port{32, 2}, destination_port{34, 2}, traffic_class{36, 1};
};
/// What a query of flow rules is answered with, in front of the rules.
struct FlowRulesDescriptor {
  static constexpr std::size_t size = 16;
  static constexpr Field rules{0, 4}, most{4, 4}, listed{8, 4}, total{12, 4};
};
/// What a query of RSS is answered with; key and table follow.
struct RssDescriptor {
  static constexpr std::size_t size = 8;
  static constexpr Field total{0, 4}, hash_types{4, 2}, algorithm{6, 1};
};
/// The report of statistics: a count of reports, then entries.
struct StatsReport {
  static constexpr std::size_t size = 8;
  static constexpr Field written{0, 8};
};
struct StatsEntry {
  static constexpr std::size_t size = 16;
  static constexpr Field name{0, 4}, queue{4, 4}, value{8, 8};
  static constexpr std::uint32_t first_of_device = 65;  ///< names below are the driver's own
};

}  // namespace peerpath::nic::gve
