#include "scenario/check/traffic_check.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "peerpath/scenario/describe.hpp"
#include "peerpath/scenario/frames.hpp"
#include "peerpath/scenario/window.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/check/check.hpp"
#include "scenario/document.hpp"
#include "scenario/kinds.hpp"

namespace peerpath::scenario {
namespace {

/// Memory of a device that peers can address, directly or by remapping; nothing if it has none.
std::optional<Bytes> memory_of(const Device& device) {
  return with_kind(device, [](auto kind, const auto& config) { return kind.memory(config); });
}
bool is_memory(const Device& device) { return memory_of(device).has_value(); }

/// "gpu, nic or nvme": the kinds whose trait says so of their defaults.
std::string kinds(auto says_so) {
  std::vector<std::string_view> found;
  for_each_kind([&]<class Config>(Kind<Config> kind) {
    if (says_so(device::Kind<Config>{}, Config{})) found.push_back(kind.name);
  });
  std::string text;
  for (std::size_t i = 0; i < found.size(); ++i)
    text += std::string{i == 0 ? "" : i + 1 < found.size() ? ", " : " or "} + std::string{found[i]};
  return text;
}
std::string any_memory() {
  return "memory: " + kinds([](auto kind, const auto& config) { return kind.memory(config).has_value(); });
}
std::string any_endpoint() {
  return "a device that does DMA: " + kinds([](auto kind, const auto&) { return kind.role == device::Role::endpoint; });
}

}  // namespace

Bytes reachable(const Device& device) { return memory_of(device).value_or(Bytes{}); }

void TrafficCheck::add(std::size_t entry, std::string_view key, std::string message) {
  out_.push_back({"", 0, 0, join("/traffic", entry) + "/" + std::string{key}, std::move(message)});
}

const Device* TrafficCheck::end(std::string_view key, const std::string& name, std::string_view wanted,
                                const std::function<bool(const Device&)>& accept) {
  const Device* device = tree_.find(name);
  if (device == nullptr) {
    add(key, no_device(tree_, name));
  } else if (!accept(*device)) {
    add(key, what_is(*device) + ", not " + std::string{wanted});
    device = nullptr;
  }
  return device;
}

const Device* TrafficCheck::memory_end(std::string_view key, const std::string& name) {
  return end(key, name, any_memory(), is_memory);
}

const Device* TrafficCheck::requester_end(std::string_view key, const std::string& name) {
  return end(key, name, any_endpoint(), [](const Device& d) { return function_of(d) != nullptr; });
}

std::optional<int> TrafficCheck::take_queue(const Device& device, int most) {
  const int own = with_kind(device, [](auto kind, const auto& config) { return kind.own_queues(config); });
  return own + ++queues_[device.name] == most + 1 ? std::optional{own} : std::nullopt;
}

void TrafficCheck::check() {
  if (scenario_.traffic.empty()) out_.push_back({"", 0, 0, "/traffic", "no traffic: add at least one entry"});
  for (entry_ = 0; entry_ < scenario_.traffic.size(); ++entry_) {
    const Traffic& t = traffic();
    check_names();
    t.with_kind([&](auto kind, const auto& what) { kind.check(what, *this); });
    if (!t.replays() && !t.sizes.empty()) check_pace();
    if (t.ends_after() > Bytes{0}) check_end();
  }
  for_each_alternative<traffic::AnyKind>([&]<class What>(const What&) { traffic::Kind<What>::check_all(*this); });
}

void TrafficCheck::check_names() {
  const auto& name = traffic().name;
  const auto [first, is_new] = names_.try_emplace(name, entry_);
  if (!is_new) add("name", "\"" + name + "\" is the name of /traffic/" + std::to_string(first->second) + " too");
  if (tree_.find(name) != nullptr) add("name", "\"" + name + "\" is also the name of a device");
  if (name.find_first_of(". \t\n") != std::string::npos)
    add("name", "\"" + name + "\" contains a dot or a space; metrics are called name.metric");
}

// Sources plan ahead, and the times that they plan must fit into 64 bits of femtoseconds: 9223 s, of which the two
// parts of a run take 9000 at most.
void TrafficCheck::check_pace() {
  constexpr std::int64_t longest_seconds = 200;
  constexpr Bytes headers{128};            // and the framing of Ethernet, rounded up
  constexpr int longest_exponential = 45;  // times its mean, of 64 random bits
  const Traffic& t = traffic();
  const std::int64_t together = t.arrival == ArrivalLaw::burst ? t.burst : 1;
  const auto ahead =
      t.with_kind([&](auto kind, const auto& what) { return kind.ahead(what, together, tree_.find(t.from)); });
  const Bytes largest = std::ranges::max(t.sizes);
  const auto bits = (static_cast<WideInt>(largest.count()) + headers.count()) * 8 * ahead *
                    (t.arrival == ArrivalLaw::poisson ? longest_exponential : 1);
  const WideInt least = (bits + longest_seconds - 1) / longest_seconds;
  if (least <= t.rate.bps()) return;
  const bool spelt = least <= std::numeric_limits<std::int64_t>::max();
  add("rate", to_text(t.rate) + " is too slow for sizes of " + to_text(largest) + ": " + std::to_string(ahead) +
                  " of them must arrive within " + std::to_string(longest_seconds) + " s" +
                  (spelt ? "; the minimum is " + to_text(BitRate{narrow(least)}) : ""));
}

void TrafficCheck::check_end() {
  const Traffic& t = traffic();
  if (t.replays()) return add("bytes", "a capture has its own end");
  if (!frames_of(t)) add("bytes", to_text(t.ends_after()) + " are not a whole number of frames of \"sizes\"");
  if (fixed_warmup(scenario_) > Duration{0})
    out_.push_back({"", 0, 0, "/run/warmup", "traffic with \"bytes\" is counted from its first frame: must be 0ns"});
}

void check_traffic(const Scenario& scenario, const Tree& tree, Problems& out) {
  TrafficCheck{scenario, tree, out}.check();
}

}  // namespace peerpath::scenario
