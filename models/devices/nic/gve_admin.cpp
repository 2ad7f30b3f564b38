#include "devices/nic/gve_admin.hpp"

#include <algorithm>
#include <bit>

#include "devices/nic/gve_commands.hpp"
#include "devices/nic/gve_descriptors.hpp"

namespace peerpath::nic::gve {
namespace {

enum Opcode : std::uint64_t {
  describe_device = 0x1,
  configure_device_resources = 0x2,
  create_tx_queue = 0x5,
  create_rx_queue = 0x6,
  destroy_tx_queue = 0x7,
  destroy_rx_queue = 0x8,
  deconfigure_device_resources = 0x9,
  configure_rss_op = 0xa,
  report_stats_op = 0xc,
  report_link_speed_op = 0xd,
  get_ptype_map = 0xe,
  verify_driver_compatibility = 0xf,
  query_flow_rules = 0x10,
  query_rss_op = 0x12,
  extended_command = 0xff,
};

constexpr std::uint64_t format_dqo_rda = 3, raw_addressing = 0xffff'ffff;

std::vector<std::uint8_t> resources(std::uint32_t doorbell) {
  std::vector<std::uint8_t> raw(QueueResources::size);
  store(raw, QueueResources::doorbell, doorbell);
  return raw;
}

}  // namespace

Admin::Admin(const Offer& offer, Backend& backend)
    : offer_{offer},
      backend_{backend},
      rx_(static_cast<std::size_t>(offer.queues)),
      tx_(static_cast<std::size_t>(offer.queues)) {}

std::vector<AdminRead> Admin::arguments(const Command& c) {
  const auto opcode = load(c, command::opcode);
  if (opcode == configure_rss_op) return rss_arguments(c);
  if (opcode == extended_command) return rule_arguments(c);
  return {};
}

bool Admin::ends_dma(const Command& c) {
  const auto opcode = load(c, command::opcode);
  return opcode == destroy_tx_queue || opcode == destroy_rx_queue || opcode == deconfigure_device_resources;
}

AdminAnswer Admin::execute(const Command& c, const Data& arguments) {
  switch (load(c, command::opcode)) {
    case describe_device:
      return describe(c);
    case configure_device_resources:
      return configure_resources(c);
    case create_tx_queue:
      return create_tx(c);
    case create_rx_queue:
      return create_rx(c);
    case destroy_tx_queue:
      return destroy_tx(c);
    case destroy_rx_queue:
      return destroy_rx(c);
    case deconfigure_device_resources:
      reset();
      return AdminStatus::passed;
    case configure_rss_op:
      return configure_rss(c, arguments);
    case report_stats_op:
      return report_stats(c);
    case report_link_speed_op:
      return report_link_speed(c);
    case get_ptype_map:
      return ptype_map(c);
    case verify_driver_compatibility:
      return AdminStatus::passed;  // what the driver says of itself changes nothing
    case query_flow_rules:
      return query_rules(c);
    case query_rss_op:
      return query_rss(c);
    case extended_command:
      return extended(c, arguments);
    default:
      return AdminStatus::unimplemented;
  }
}

void Admin::written(const Command& c) {
  const auto opcode = load(c, command::opcode);
  if (opcode == create_rx_queue) {
    rx_[new_rx_->queue.value()] = new_rx_;
    backend_.create_rx(*new_rx_);
  } else if (opcode == create_tx_queue) {
    tx_[new_tx_->queue.value()] = new_tx_;
    backend_.create_tx(*new_tx_);
  }
}

void Admin::reset() {
  for (auto& queue : rx_)
    if (queue) backend_.destroy_rx(queue->queue);
  for (auto& queue : tx_)
    if (queue) backend_.destroy_tx(queue->queue);
  std::ranges::fill(rx_, std::nullopt);
  std::ranges::fill(tx_, std::nullopt);
  rules_.clear();
  backend_.steering().clear_rules();
}

const RxQueueConfig* Admin::rx(QueueIndex queue) const {
  return queue.value() < rx_.size() && rx_[queue.value()] ? &*rx_[queue.value()] : nullptr;
}
const TxQueueConfig* Admin::tx(QueueIndex queue) const {
  return queue.value() < tx_.size() && tx_[queue.value()] ? &*tx_[queue.value()] : nullptr;
}

bool Admin::ring_size_ok(std::uint64_t entries) const {
  return std::has_single_bit(entries) && entries >= offer_.min_entries && entries <= offer_.max_entries;
}

AdminAnswer Admin::configure_resources(const Command& c) {
  using In = command::ConfigureResources;
  const auto vectors = load(c, In::vectors), stride = load(c, In::stride), address = load(c, In::vector_doorbells);
  if (vectors > static_cast<std::uint64_t>(offer_.vectors) || stride < 4) return AdminStatus::invalid_argument;
  if (load(c, In::queue_format) != format_dqo_rda) return AdminStatus::unimplemented;
  AdminAnswer answer = AdminStatus::passed;
  for (std::uint64_t i = 0; i < vectors; ++i) {
    auto& index = answer.writes.emplace_back(AdminWrite{address + i * stride, std::vector<std::uint8_t>(4)});
    store_be(index.bytes, 0, 4, i);
  }
  return answer;
}

AdminAnswer Admin::ptype_map(const Command& c) {
  using In = command::GetPtypeMap;
  std::vector<std::uint8_t> map(2 * ptypes);
  if (load(c, In::room) < map.size()) return AdminStatus::invalid_argument;
  for (std::size_t i = 0; i < ptypes; ++i) {
    const auto entry = ptype_entry(static_cast<std::uint16_t>(i));
    map[2 * i] = entry[0];
    map[2 * i + 1] = entry[1];
  }
  return {load(c, In::address), std::move(map)};
}

AdminAnswer Admin::report_stats(const Command& c) {
  using In = command::ReportStats;
  const auto queues = static_cast<std::size_t>(offer_.queues);
  constexpr std::size_t entry = StatsEntry::size, per_queue = 4, head = StatsReport::size;
  std::vector<std::uint8_t> report(head + queues * per_queue * entry);
  store(report, StatsReport::written, 1);
  std::size_t at = head;
  for (std::size_t q = 0; q < queues; ++q) {
    const auto drops = backend_.rx_drops(QueueIndex{static_cast<std::uint16_t>(q)});
    std::uint32_t name = StatsEntry::first_of_device;
    for (const auto value : {drops.dropped, drops.no_buffers, drops.too_long, drops.bad_checksum}) {
      const auto place = std::span{report}.subspan(at, entry);
      store(place, StatsEntry::name, name++);
      store(place, StatsEntry::queue, q);
      store(place, StatsEntry::value, value);
      at += entry;
    }
  }
  const auto room = load(c, In::room);
  if (room < report.size())
    report.resize(room < head ? 0 : static_cast<std::size_t>(head + (room - head) / entry * entry));
  return {load(c, In::address), std::move(report)};
}

AdminAnswer Admin::report_link_speed(const Command& c) {
  std::vector<std::uint8_t> speed(8);
  store_be(speed, 0, 8, offer_.link_mbps);
  return {load(c, command::ReportLinkSpeed::address), std::move(speed)};
}

AdminAnswer Admin::create_rx(const Command& c) {
  using In = command::CreateRx;
  const auto id = load(c, In::queue);
  RxQueueConfig q;
  q.vector = static_cast<std::uint32_t>(load(c, In::vector));
  q.completion_ring = BusAddress{load(c, In::completion_ring)};
  q.buffer_ring = BusAddress{load(c, In::buffer_ring)};
  q.completion_entries = static_cast<std::uint16_t>(load(c, In::completion_entries));
  q.buffer_size = static_cast<std::uint16_t>(load(c, In::buffer_size));
  q.buffer_entries = static_cast<std::uint16_t>(load(c, In::buffer_entries));
  q.rsc_allowed = load(c, In::coalesce) != 0;
  q.header_buffer_size = static_cast<std::uint16_t>(load(c, In::header_buffer_size));
  if (id >= rx_.size() || load(c, In::page_list) != raw_addressing ||
      q.vector >= static_cast<std::uint32_t>(offer_.vectors) || !ring_size_ok(q.completion_entries) ||
      !ring_size_ok(q.buffer_entries) || q.buffer_size < 256 || q.buffer_size > 16383 ||
      q.header_buffer_size > offer_.header_buffer_size)
    return AdminStatus::invalid_argument;
  if (rx_[id]) return AdminStatus::already_exists;
  q.queue = QueueIndex{static_cast<std::uint16_t>(id)};
  new_rx_ = q;
  return {load(c, In::resources), resources(rx_doorbells + static_cast<std::uint32_t>(id))};
}

AdminAnswer Admin::create_tx(const Command& c) {
  using In = command::CreateTx;
  const auto id = load(c, In::queue);
  TxQueueConfig q;
  q.ring = BusAddress{load(c, In::ring)};
  q.vector = static_cast<std::uint32_t>(load(c, In::vector));
  q.completion_ring = BusAddress{load(c, In::completion_ring)};
  q.entries = static_cast<std::uint16_t>(load(c, In::entries));
  q.completion_entries = static_cast<std::uint16_t>(load(c, In::completion_entries));
  if (id >= tx_.size() || load(c, In::page_list) != raw_addressing ||
      q.vector >= static_cast<std::uint32_t>(offer_.vectors) || !ring_size_ok(q.entries) ||
      !ring_size_ok(q.completion_entries))
    return AdminStatus::invalid_argument;
  if (tx_[id]) return AdminStatus::already_exists;
  q.queue = QueueIndex{static_cast<std::uint16_t>(id)};
  new_tx_ = q;
  return {load(c, In::resources), resources(tx_doorbells + static_cast<std::uint32_t>(id))};
}

AdminStatus Admin::destroy_rx(const Command& c) {
  const auto id = load(c, command::DestroyQueue::queue);
  if (id >= rx_.size()) return AdminStatus::invalid_argument;
  if (!rx_[id]) return AdminStatus::not_found;
  backend_.destroy_rx(rx_[id]->queue);
  rx_[id].reset();
  return AdminStatus::passed;
}

AdminStatus Admin::destroy_tx(const Command& c) {
  const auto id = load(c, command::DestroyQueue::queue);
  if (id >= tx_.size()) return AdminStatus::invalid_argument;
  if (!tx_[id]) return AdminStatus::not_found;
  backend_.destroy_tx(tx_[id]->queue);
  tx_[id].reset();
  return AdminStatus::passed;
}

}  // namespace peerpath::nic::gve
