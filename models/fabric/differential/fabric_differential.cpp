// fabric_differential --cases N --seed S --mode train: plays N random cases from seed S on against the
// reference. Exit 0 if all agree to the femtosecond, 1 with the first case that does not.
#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "fabric/differential/driver.hpp"
#include "fabric/reference/event_reference.hpp"
#include "fabric/reference/flaw.hpp"

namespace {

using namespace peerpath;
using namespace peerpath::fabric;

struct Options {
  std::uint64_t cases = 1000, seed = 1, list = 0;
  std::string mode = "train";
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (i + 1 == argc) return false;
    const char* value = argv[++i];
    if (flag == "--cases")
      options.cases = std::strtoull(value, nullptr, 10);
    else if (flag == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else if (flag == "--list")
      options.list = std::strtoull(value, nullptr, 10);
    else if (flag == "--mode")
      options.mode = value;
    else
      return false;
  }
  return true;
}

/// A fabric of the mode, or a reference with the flaw, of this name.
differential::Make maker(const std::string& name) {
  for (const auto& mode : enum_names(Mode{}))
    if (mode.name == name) return [m = mode.value](const Topology& t, DeliverySink& s) { return make_fabric(t, s, m); };
  for (const auto& flaw : enum_names(Flaw{}))
    if (flaw.name == name)
      return [f = flaw.value](const Topology& t, DeliverySink& s) { return std::make_unique<EventReference>(t, s, f); };
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  const bool understood = parse(argc, argv, options);
  const differential::Make expected = maker("event");
  const differential::Make computed = maker(options.mode);
  if (!understood || !computed) {
    std::cerr << "usage: fabric_differential [--cases N] [--seed S] [--mode train|FLAW] [--list 1]\n";
    return 2;
  }
  std::int64_t tlps = 0, deliveries = 0, blocked = 0, cycles = 0, cabled = 0;
  std::array<std::int64_t, enum_names(differential::Shape{}).size()> by_shape{};
  for (std::uint64_t seed = options.seed; seed < options.seed + options.cases; ++seed) {
    if (options.list != 0) std::cerr << "seed " << seed << std::endl;
    const auto scenario = differential::generate(seed);
    const auto outcome = differential::play(scenario, expected, true);
    ++by_shape[static_cast<std::size_t>(scenario.shape)];
    cabled += scenario.is_cabled() ? 1 : 0;
    tlps += outcome.tlp_count;
    blocked += outcome.blocked.empty() ? 0 : 1;
    cycles += outcome.blocked.empty() || outcome.blocked.back().rfind("in the cycle", 0) != 0 ? 0 : 1;
    deliveries += static_cast<std::int64_t>(outcome.deliveries.size());
    if (differential::difference(outcome, differential::play(scenario, computed)).empty()) continue;
    std::cout << differential::compare(scenario, expected, computed);
    return 1;
  }
  std::cout << options.cases << " cases from seed " << options.seed << ", mode " << options.mode
            << ": no difference in " << deliveries << " deliveries, " << tlps << " TLP hops; " << blocked
            << " ended with queues blocked for good, " << cycles << " of them in a cycle\nby shape:";
  for (const auto& [name, shape] : enum_names(differential::Shape{}))
    std::cout << ' ' << name << ' ' << by_shape[static_cast<std::size_t>(shape)] << ',';
  std::cout << ' ' << cabled << " of the hosts joined by cables\n";
  return 0;
}
