#include "scenario/tree.hpp"

#include <algorithm>
#include <utility>

#include "scenario/catalogue.hpp"
#include "scenario/suggest.hpp"

namespace peerpath::scenario {

End split_end(std::string_view text) {
  const auto dot = device_length(text);
  return {std::string{text.substr(0, dot)}, std::string{text.substr(std::min(dot + 1, text.size()))}};
}

Tree::Tree(const Scenario& scenario) : scenario_{scenario} {
  for (const Device& device : scenario.devices) devices_.emplace(device.name, &device);
  for (std::size_t i = 0; i < scenario.links.size(); ++i) uplinks_.emplace(split_end(scenario.links[i].to).device, i);
}

const Device* Tree::find(std::string_view name) const {
  const auto found = devices_.find(name);
  return found == devices_.end() ? nullptr : found->second;
}

std::vector<std::string> Tree::names() const {
  std::vector<std::string> names;
  for (const auto& [name, device] : devices_) names.push_back(name);
  return names;
}

std::optional<std::size_t> Tree::uplink(std::string_view device) const {
  const auto found = uplinks_.find(device);
  return found == uplinks_.end() ? std::nullopt : std::optional{found->second};
}

std::string Tree::root_of(std::string_view name) const {
  const auto way = way_up(name);
  if (way.empty()) return {};
  const auto& last = *way.back();
  if (std::holds_alternative<device::RootComplexConfig>(last.config)) return last.name;
  return std::visit(
      [](const auto& config) -> std::string {
        if constexpr (requires { config.at; }) return config.at;
        return {};
      },
      last.config);
}

const device::RootComplexConfig* Tree::root_config(std::string_view name) const {
  const Device* root = find(root_of(name));
  return root == nullptr ? nullptr : std::get_if<device::RootComplexConfig>(&root->config);
}

std::vector<const Device*> Tree::way_up(std::string_view name) const {
  std::vector<const Device*> way;
  const Device* at = find(name);
  while (at != nullptr && std::ranges::find(way, at) == way.end()) {
    way.push_back(at);
    const auto link = uplink(at->name);
    at = link ? find(split_end(scenario_.links[*link].from).device) : nullptr;
  }
  return way;
}

const device::FunctionConfig* function_of(const Device& device) {
  return std::visit(
      []<class Config>(const Config& config) -> const device::FunctionConfig* {
        if constexpr (requires { config.function; })
          return &config.function;
        else
          return nullptr;
      },
      device.config);
}

BitRate rate_of(const Cable& cable, const Scenario& scenario) {
  if (cable.rate) return *cable.rate;
  auto rate = device::NicConfig{}.wire_rate;
  bool first = true;
  for (const Device& device : scenario.devices) {
    const auto* nic = std::get_if<device::NicConfig>(&device.config);
    if (nic == nullptr || (device.name != cable.from && device.name != cable.to)) continue;
    rate = std::exchange(first, false) ? nic->wire_rate : std::min(rate, nic->wire_rate);
  }
  return rate;
}

std::string no_device(const Tree& tree, const std::string& name) {
  if (name.empty()) return "is missing; it names a device";
  return "there is no device \"" + name + "\"" + did_you_mean(name, tree.names());
}

namespace {

/// "a nic", "a gpu", "an nvme": what begins with two consonants is spelled.
std::string with_article(std::string_view kind) {
  constexpr std::string_view vowels = "aeiou", spelled_with_a_vowel = "aefhilmnorsx";
  const bool spelled = vowels.find(kind[0]) == vowels.npos && vowels.find(kind[1]) == vowels.npos;
  const bool vowel = (spelled ? spelled_with_a_vowel : vowels).find(kind[0]) != vowels.npos;
  return (vowel ? "an " : "a ") + std::string{kind};
}

}  // namespace

std::string what_is(const Device& device) { return device.name + " is " + with_article(kind_of(device)); }

}  // namespace peerpath::scenario
