#include "devices/nic/steering.hpp"

#include <algorithm>

namespace peerpath::nic {
namespace {

bool match(const std::array<std::uint8_t, 16>& a, const std::array<std::uint8_t, 16>& b,
           const std::array<std::uint8_t, 16>& mask) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (((a[i] ^ b[i]) & mask[i]) != 0) return false;
  return true;
}

}  // namespace

bool FlowRule::matches(const net::FlowKey& flow) const {
  return flow.layer3 == key.layer3 && flow.layer4 == key.layer4 &&
         ((flow.source_port ^ key.source_port) & mask.source_port) == 0 &&
         ((flow.destination_port ^ key.destination_port) & mask.destination_port) == 0 &&
         ((flow.traffic_class ^ key.traffic_class) & mask.traffic_class) == 0 &&
         match(flow.source, key.source, mask.source) && match(flow.destination, key.destination, mask.destination);
}

Steering::Steering(int queues) : queues_{queues} {
  for (std::size_t i = 0; i < table_size; ++i)
    table_.emplace_back(static_cast<std::uint16_t>(i % static_cast<std::size_t>(queues)));
}

Steered Steering::operator()(const net::ParsedFrame& frame) const {
  if (frame.key.layer3 == net::Layer3::other) return {};
  const bool ports = frame.key.layer4 == net::Layer4::tcp || frame.key.layer4 == net::Layer4::udp;
  const std::uint32_t hash = hash_(frame.key, ports);
  const Steered by_table{table_[hash % table_.size()], hash, false};
  if (rules_.empty()) return by_table;
  if (known_.empty()) known_.resize(known_flows);
  auto& known = known_[hash % known_flows];
  if (known.valid && known.key == frame.key) return known.result;
  const auto rule = std::ranges::find_if(rules_, [&](const FlowRule& r) { return r.matches(frame.key); });
  known = {true, frame.key, rule == rules_.end() ? by_table : Steered{rule->queue, hash, true}};
  return known.result;
}

void Steering::set_key(const net::ToeplitzKey& key) {
  forget();
  key_ = key;
  hash_ = net::Toeplitz{key};
}

bool Steering::set_table(const std::vector<QueueIndex>& table) {
  const auto exists = [&](QueueIndex q) { return q.value() < queues_; };
  if (table.empty() || !std::ranges::all_of(table, exists)) return false;
  forget();
  table_ = table;
  return true;
}

bool Steering::add_rule(const FlowRule& rule) {
  if (rule.queue.value() >= queues_) return false;
  remove_rule(rule.location);
  forget();
  rules_.insert(std::ranges::upper_bound(rules_, rule.location, {}, &FlowRule::location), rule);
  return true;
}

bool Steering::remove_rule(std::uint32_t location) {
  forget();
  return std::erase_if(rules_, [&](const FlowRule& r) { return r.location == location; }) > 0;
}

}  // namespace peerpath::nic
