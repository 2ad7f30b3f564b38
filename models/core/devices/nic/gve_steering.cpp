// The admin commands that describe the device and steer its traffic.
#include <algorithm>

#include "core/devices/nic/gve_admin.hpp"

namespace peerpath::nic::gve {
namespace {

constexpr std::uint32_t modify_ring = 1 << 0, jumbo = 1 << 2, buffer_sizes = 1 << 4, flow_steering = 1 << 5,
                        rss_config = 1 << 7;
constexpr std::size_t descriptor_size = 40;
constexpr std::uint16_t all_hash_types = 0x1ff;
constexpr std::uint8_t toeplitz = 1;
constexpr std::size_t max_table = 1024;

/// Appends options: id, length, no required features, then the data, which starts with the supported features.
class Options {
 public:
  void add(std::uint16_t id, std::uint32_t features, std::initializer_list<std::uint16_t> fields) {
    ++count;
    put(id, 2);
    put(4 + 2 * fields.size(), 2);
    put(0, 4);
    put(features, 4);
    for (const auto field : fields) put(field, 2);
  }
  std::vector<std::uint8_t> bytes;
  std::uint16_t count = 0;

 private:
  void put(std::uint64_t value, std::size_t n) {
    bytes.resize(bytes.size() + n);
    store_be(bytes, bytes.size() - n, n, value);
  }
};

Options options_of(const Offer& o) {
  Options options;
  options.add(0x4, modify_ring | jumbo | buffer_sizes | flow_steering | rss_config, {0, 0});  // DQO, raw addressing
  options.add(0x6, modify_ring, {o.max_entries, o.max_entries, o.min_entries, o.min_entries});
  options.add(0x8, jumbo, {o.max_mtu, 0});
  options.add(0xa, buffer_sizes, {o.buffer_size, o.header_buffer_size});
  options.add(0xb, flow_steering,
              {0, 0, static_cast<std::uint16_t>(o.max_flow_rules >> 16), static_cast<std::uint16_t>(o.max_flow_rules)});
  options.add(0xe, rss_config, {net::toeplitz_key_size, Steering::table_size});
  return options;
}

/// gve's flow types, as far as they have ports to match.
struct FlowType {
  net::Layer3 layer3;
  net::Layer4 layer4;
};
std::optional<FlowType> flow_type(std::uint64_t code) {
  switch (code) {
    case 0:
      return FlowType{net::Layer3::ipv4, net::Layer4::tcp};
    case 1:
      return FlowType{net::Layer3::ipv4, net::Layer4::udp};
    case 5:
      return FlowType{net::Layer3::ipv6, net::Layer4::tcp};
    case 6:
      return FlowType{net::Layer3::ipv6, net::Layer4::udp};
    default:
      return std::nullopt;  // SCTP, AH, ESP: the parser does not look into them
  }
}

net::FlowKey decode_key(std::span<const std::uint8_t> raw, const FlowType& type) {
  net::FlowKey key;
  key.layer3 = type.layer3;
  key.layer4 = type.layer4;
  const std::size_t address = type.layer3 == net::Layer3::ipv4 ? 4 : 16;
  std::ranges::copy(raw.subspan(0, address), key.source.begin());
  std::ranges::copy(raw.subspan(16, address), key.destination.begin());
  key.source_port = static_cast<std::uint16_t>(load_be(raw, 32, 2));
  key.destination_port = static_cast<std::uint16_t>(load_be(raw, 34, 2));
  key.traffic_class = raw[36];
  return key;
}

}  // namespace

AdminStatus Admin::describe(const Command& c) {
  if (load_be(c, 16, 4) != 1) return AdminStatus::unimplemented;  // version
  const auto options = options_of(offer_);
  std::vector<std::uint8_t> raw(descriptor_size);
  store_be(raw, 10, 2, offer_.tx_entries);
  store_be(raw, 12, 2, offer_.rx_entries);
  store_be(raw, 14, 2, static_cast<std::uint64_t>(offer_.queues));
  store_be(raw, 16, 2, offer_.mtu);
  store_be(raw, 18, 2, offer_.counters);
  std::ranges::copy(offer_.mac, raw.begin() + 24);
  store_be(raw, 30, 2, options.count);
  store_be(raw, 32, 2, descriptor_size + options.bytes.size());
  raw.insert(raw.end(), options.bytes.begin(), options.bytes.end());
  if (load_be(c, 20, 4) < raw.size()) return AdminStatus::invalid_argument;
  return write(load_be(c, 8, 8), raw);
}

AdminStatus Admin::configure_rss(const Command& c) {
  const auto key_size = load_be(c, 12, 2), table_size = load_be(c, 14, 2);
  if ((key_size != 0 && key_size != net::toeplitz_key_size) || table_size > max_table)
    return AdminStatus::invalid_argument;
  net::ToeplitzKey key{};
  if (key_size != 0 && !memory_.read(load_be(c, 16, 8), key)) return AdminStatus::invalid_argument;
  std::vector<std::uint8_t> raw(table_size * 4);
  if (table_size != 0 && !memory_.read(load_be(c, 24, 8), raw)) return AdminStatus::invalid_argument;
  std::vector<QueueIndex> table;
  for (std::size_t i = 0; i < table_size; ++i) {
    const auto queue = load_be(raw, i * 4, 4);
    if (queue >= rx_.size()) return AdminStatus::invalid_argument;
    table.emplace_back(static_cast<std::uint16_t>(queue));
  }
  if (table_size != 0 && !backend_.steering().set_table(table)) return AdminStatus::invalid_argument;
  if (key_size != 0) backend_.steering().set_key(key);
  return AdminStatus::passed;
}

AdminStatus Admin::query_rss(const Command& c) {
  const auto& steering = backend_.steering();
  const auto& table = steering.table();
  std::vector<std::uint8_t> raw(8 + net::toeplitz_key_size + 4 * table.size());
  if (load_be(c, 8, 8) < raw.size()) return AdminStatus::invalid_argument;
  store_be(raw, 0, 4, raw.size());
  store_be(raw, 4, 2, all_hash_types);
  raw[6] = toeplitz;
  std::ranges::copy(steering.key(), raw.begin() + 8);
  for (std::size_t i = 0; i < table.size(); ++i) store_be(raw, 8 + net::toeplitz_key_size + 4 * i, 4, table[i].value());
  return write(load_be(c, 16, 8), raw);
}

AdminStatus Admin::extended(const Command& c) {
  constexpr std::uint64_t configure_flow_rule = 0x101;
  std::array<std::uint8_t, 92> raw{};
  if (load_be(c, 8, 4) != configure_flow_rule) return AdminStatus::unimplemented;
  if (load_be(c, 12, 4) != raw.size() || !memory_.read(load_be(c, 16, 8), raw)) return AdminStatus::invalid_argument;
  const auto location = static_cast<std::uint32_t>(load_be(raw, 88, 4));
  Rule rule{};
  std::copy_n(raw.begin() + 4, rule_size, rule.begin());
  switch (load_be(raw, 0, 2)) {
    case 0:
      return add_rule(location, rule);
    case 1:
      if (rules_.erase(location) == 0) return AdminStatus::not_found;
      backend_.steering().remove_rule(location);
      return AdminStatus::passed;
    case 2:
      rules_.clear();
      backend_.steering().clear_rules();
      return AdminStatus::passed;
    default:
      return AdminStatus::invalid_argument;
  }
}

AdminStatus Admin::add_rule(std::uint32_t location, const Rule& rule) {
  const auto type = flow_type(load_be(rule, 0, 2));
  if (!type) return AdminStatus::unimplemented;
  if (location >= offer_.max_flow_rules) return AdminStatus::invalid_argument;
  if (rules_.contains(location)) return AdminStatus::already_exists;
  FlowRule flow;
  flow.location = location;
  flow.queue = QueueIndex{static_cast<std::uint16_t>(load_be(rule, 2, 2))};
  flow.key = decode_key(std::span{rule}.subspan(4, 40), *type);
  flow.mask = decode_key(std::span{rule}.subspan(44, 40), *type);
  if (!backend_.steering().add_rule(flow)) return AdminStatus::invalid_argument;
  rules_[location] = rule;
  return AdminStatus::passed;
}

AdminStatus Admin::query_rules(const Command& c) {
  enum Query : std::uint64_t { by_rule, by_id, statistics };
  const auto query = load_be(c, 8, 2), start = load_be(c, 12, 4), room = load_be(c, 16, 8);
  if (query > statistics || room < 16) return AdminStatus::invalid_argument;
  const std::size_t entry = query == by_rule ? 4 + rule_size : 4;
  std::vector<std::uint8_t> raw(16);
  std::uint32_t listed = 0;
  for (auto rule = rules_.lower_bound(static_cast<std::uint32_t>(start)); query != statistics && rule != rules_.end();
       ++rule) {
    if (raw.size() + entry > room) break;
    const std::size_t at = raw.size();
    raw.resize(at + entry);
    store_be(raw, at, 4, rule->first);
    if (query == by_rule) std::ranges::copy(rule->second, raw.begin() + static_cast<std::ptrdiff_t>(at) + 4);
    ++listed;
  }
  store_be(raw, 0, 4, rules_.size());
  store_be(raw, 4, 4, offer_.max_flow_rules);
  store_be(raw, 8, 4, listed);
  store_be(raw, 12, 4, raw.size());
  return write(load_be(c, 24, 8), raw);
}

}  // namespace peerpath::nic::gve
