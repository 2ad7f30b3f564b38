// The admin commands that describe the device and steer its traffic.
#include <algorithm>

#include "devices/nic/gve_admin.hpp"
#include "devices/nic/gve_commands.hpp"

namespace peerpath::nic::gve {
namespace {

constexpr std::uint32_t modify_ring = 1 << 0, jumbo = 1 << 2, buffer_sizes = 1 << 4, flow_steering = 1 << 5,
                        rss_config = 1 << 7;
constexpr std::uint16_t all_hash_types = 0x1ff;
constexpr std::uint8_t toeplitz = 1;
constexpr std::size_t max_table = 1024;
constexpr std::uint64_t configure_flow_rule = 0x101;  ///< of an extended command

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
  std::ranges::copy(raw.subspan(FlowKeyFields::source, address), key.source.begin());
  std::ranges::copy(raw.subspan(FlowKeyFields::destination, address), key.destination.begin());
  key.source_port = static_cast<std::uint16_t>(load(raw, FlowKeyFields::source_port));
  key.destination_port = static_cast<std::uint16_t>(load(raw, FlowKeyFields::destination_port));
  key.traffic_class = static_cast<std::uint8_t>(load(raw, FlowKeyFields::traffic_class));
  return key;
}

}  // namespace

AdminAnswer Admin::describe(const Command& c) {
  using In = command::DescribeDevice;
  using Out = DeviceDescriptor;
  if (load(c, In::version) != 1) return AdminStatus::unimplemented;
  const auto options = options_of(offer_);
  std::vector<std::uint8_t> raw(Out::size);
  store(raw, Out::tx_entries, offer_.tx_entries);
  store(raw, Out::rx_entries, offer_.rx_entries);
  store(raw, Out::queues, static_cast<std::uint64_t>(offer_.queues));
  store(raw, Out::mtu, offer_.mtu);
  store(raw, Out::counters, offer_.counters);
  std::ranges::copy(offer_.mac, raw.begin() + Out::mac.at);
  store(raw, Out::options, options.count);
  store(raw, Out::total, Out::size + options.bytes.size());
  raw.insert(raw.end(), options.bytes.begin(), options.bytes.end());
  if (load(c, In::room) < raw.size()) return AdminStatus::invalid_argument;
  return {load(c, In::address), std::move(raw)};
}

std::vector<AdminRead> Admin::rss_arguments(const Command& c) {
  using In = command::ConfigureRss;
  const auto key_size = load(c, In::key_size), table_size = load(c, In::table_size);
  std::vector<AdminRead> reads;
  if ((key_size != 0 && key_size != net::toeplitz_key_size) || table_size > max_table) return reads;
  if (key_size != 0) reads.push_back({load(c, In::key), net::toeplitz_key_size});
  if (table_size != 0) reads.push_back({load(c, In::table), static_cast<std::size_t>(table_size) * 4});
  return reads;
}

AdminStatus Admin::configure_rss(const Command& c, const Data& arguments) {
  using In = command::ConfigureRss;
  const auto key_size = load(c, In::key_size), table_size = load(c, In::table_size);
  if ((key_size != 0 && key_size != net::toeplitz_key_size) || table_size > max_table)
    return AdminStatus::invalid_argument;
  std::vector<QueueIndex> table;
  for (std::size_t i = 0; i < table_size; ++i) {
    const auto queue = load_be(arguments.back(), i * 4, 4);
    if (queue >= rx_.size()) return AdminStatus::invalid_argument;
    table.emplace_back(static_cast<std::uint16_t>(queue));
  }
  if (table_size != 0 && !backend_.steering().set_table(table)) return AdminStatus::invalid_argument;
  if (key_size == 0) return AdminStatus::passed;
  net::ToeplitzKey key{};
  std::ranges::copy(arguments.front(), key.begin());
  backend_.steering().set_key(key);
  return AdminStatus::passed;
}

AdminAnswer Admin::query_rss(const Command& c) {
  using In = command::QueryRss;
  using Out = RssDescriptor;
  constexpr std::size_t table_at = Out::size + net::toeplitz_key_size;
  const auto& steering = backend_.steering();
  const auto& table = steering.table();
  std::vector<std::uint8_t> raw(table_at + 4 * table.size());
  if (load(c, In::room) < raw.size()) return AdminStatus::invalid_argument;
  store(raw, Out::total, raw.size());
  store(raw, Out::hash_types, all_hash_types);
  store(raw, Out::algorithm, toeplitz);
  std::ranges::copy(steering.key(), raw.begin() + Out::size);
  for (std::size_t i = 0; i < table.size(); ++i) store_be(raw, table_at + 4 * i, 4, table[i].value());
  return {load(c, In::address), std::move(raw)};
}

std::vector<AdminRead> Admin::rule_arguments(const Command& c) {
  using In = command::Extended;
  if (load(c, In::opcode) != configure_flow_rule || load(c, In::size) != FlowRuleChange::size) return {};
  return {{load(c, In::address), FlowRuleChange::size}};
}

AdminStatus Admin::extended(const Command& c, const Data& arguments) {
  using In = command::Extended;
  enum Operation : std::uint64_t { add, remove, clear };
  if (load(c, In::opcode) != configure_flow_rule) return AdminStatus::unimplemented;
  if (load(c, In::size) != FlowRuleChange::size) return AdminStatus::invalid_argument;
  const auto& raw = arguments.front();
  const auto location = static_cast<std::uint32_t>(load(raw, FlowRuleChange::location));
  Rule rule{};
  std::copy_n(raw.begin() + FlowRuleChange::rule, rule_size, rule.begin());
  switch (load(raw, FlowRuleChange::operation)) {
    case add:
      return add_rule(location, rule);
    case remove:
      if (rules_.erase(location) == 0) return AdminStatus::not_found;
      backend_.steering().remove_rule(location);
      return AdminStatus::passed;
    case clear:
      rules_.clear();
      backend_.steering().clear_rules();
      return AdminStatus::passed;
    default:
      return AdminStatus::invalid_argument;
  }
}

AdminStatus Admin::add_rule(std::uint32_t location, const Rule& rule) {
  using In = FlowRuleFields;
  const auto type = flow_type(load(rule, In::type));
  if (!type) return AdminStatus::unimplemented;
  if (location >= offer_.max_flow_rules) return AdminStatus::invalid_argument;
  if (rules_.contains(location)) return AdminStatus::already_exists;
  FlowRule flow;
  flow.location = location;
  flow.queue = QueueIndex{static_cast<std::uint16_t>(load(rule, In::queue))};
  flow.key = decode_key(std::span{rule}.subspan(In::key, In::key_size), *type);
  flow.mask = decode_key(std::span{rule}.subspan(In::mask, In::key_size), *type);
  if (!backend_.steering().add_rule(flow)) return AdminStatus::invalid_argument;
  rules_[location] = rule;
  return AdminStatus::passed;
}

AdminAnswer Admin::query_rules(const Command& c) {
  using In = command::QueryFlowRules;
  using Out = FlowRulesDescriptor;
  enum Query : std::uint64_t { by_rule, by_id, statistics };
  const auto query = load(c, In::query), start = load(c, In::first), room = load(c, In::room);
  if (query > statistics || room < Out::size) return AdminStatus::invalid_argument;
  const std::size_t entry = query == by_rule ? 4 + rule_size : 4;
  std::vector<std::uint8_t> raw(Out::size);
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
  store(raw, Out::rules, rules_.size());
  store(raw, Out::most, offer_.max_flow_rules);
  store(raw, Out::listed, listed);
  store(raw, Out::total, raw.size());
  return {load(c, In::address), std::move(raw)};
}

}  // namespace peerpath::nic::gve
