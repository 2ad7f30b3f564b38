#include "study/pcie/numbers.hpp"

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>

#include "peerpath/base/field.hpp"

namespace peerpath::study {
namespace {

template <class T>
constexpr bool is_number = std::same_as<T, int> || std::same_as<T, double> || std::same_as<T, Bytes> ||
                           std::same_as<T, BitRate> || std::same_as<T, Duration>;

template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using type = T;
};

template <class T>
const T& plain(const T& value) {
  return value;
}
template <class T>
const T& plain(const std::optional<T>& value) {
  return *value;
}

/// Where a number stands, as its key, its pointer and its option begin.
struct KeyPath {
  std::string key, pointer, option;

  KeyPath at(std::string_view name) const {
    const std::string text{name};
    return {key + "." + text, pointer + "/" + text, option + "." + text};
  }
};

template <class T>
T twice(T value) {
  if constexpr (std::same_as<T, BitRate>)
    return BitRate{value.bps() * 2};
  else
    return value * 2;
}

template <class T>
T half(T value) {
  if constexpr (std::same_as<T, BitRate>)
    return BitRate{value.bps() / 2};
  else if constexpr (std::same_as<T, Bytes>)
    return Bytes{value.count() / 2};
  else
    return value / 2;
}

/// Calls `use(place, field, value)` for every number of a configuration.
template <class Config, class Use>
void visit_numbers(Config& config, const KeyPath& place, const Use& use) {
  const auto visit_one = [&](const auto& f) {
    auto& member = config.*f.member;
    using Member = std::remove_cvref_t<decltype(member)>;
    using Value = typename Plain<Member>::type;
    const auto here = place.at(f.name);
    const auto take = [&](auto& value) {
      if constexpr (Configurable<Value>)
        visit_numbers(value, here, use);
      else if constexpr (is_number<Value>)
        use(here, f, value);
    };
    if constexpr (std::same_as<Member, Value>)
      take(member);
    else if (member)
      take(*member);
  };
  std::apply([&](const auto&... f) { (visit_one(f), ...); }, fields_of<std::remove_const_t<Config>>);
}

std::string name_in_list(const std::vector<scenario::Link>& links, std::size_t n) {
  const auto name = scenario::device_of(links[n].to);
  const auto alike = std::ranges::count_if(links, [&](const auto& l) { return scenario::device_of(l.to) == name; });
  return alike == 1 && name.find('[') == name.npos ? name : std::to_string(n);
}

template <class Scenario, class Use>
void visit_all(Scenario& s, const Use& use) {
  for (auto& device : s.devices)
    std::visit(
        [&](auto& config) {
          using Config = std::remove_cvref_t<decltype(config)>;
          visit_numbers(config,
                        {"devices." + device.name, "/devices/" + device.name, std::string{device::Kind<Config>::name}},
                        use);
        },
        device.config);
  for (std::size_t n = 0; n < s.links.size(); ++n)
    visit_numbers(s.links[n], {"links." + name_in_list(s.links, n), "/links/" + std::to_string(n), "link"}, use);
  for (std::size_t n = 0; n < s.inter_socket.size(); ++n) {
    const auto place = std::to_string(n);
    visit_numbers(s.inter_socket[n], {"inter_socket." + place, "/inter_socket/" + place, "inter_socket"}, use);
  }
  for (std::size_t n = 0; n < s.traffic.size(); ++n) {
    const KeyPath place{"traffic." + s.traffic[n].name, "/traffic/" + std::to_string(n), "traffic"};
    visit_numbers(s.traffic[n], place, use);
    std::visit([&](auto& kind) { visit_numbers(kind, place, use); }, s.traffic[n].what);
  }
}

}  // namespace

std::vector<Number> numbers(const scenario::Scenario& scenario) {
  std::vector<Number> all;
  visit_all(scenario, [&](const KeyPath& place, const auto&, const auto&) {
    all.push_back({place.key, place.pointer, place.option});
  });
  return all;
}

bool scale(scenario::Scenario& scenario, const std::string& pointer, bool doubled) {
  bool changed = false;
  visit_all(scenario, [&](const KeyPath& place, const auto& f, auto& value) {
    if (place.pointer != pointer) return;
    const auto before = value;
    value = doubled ? twice(value) : half(value);
    if (f.most && value > plain(*f.most)) value = plain(*f.most);
    if (f.least && value < plain(*f.least)) value = plain(*f.least);
    changed = value != before;
  });
  return changed;
}

}  // namespace peerpath::study
