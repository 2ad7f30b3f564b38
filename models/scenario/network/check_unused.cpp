#include "scenario/network/check_unused.hpp"

#include "scenario/write_fields.hpp"

namespace peerpath::network_scenario {
namespace {

using Add = std::function<void(const std::string& at, const std::string& what)>;

template <class Section>
void refuse_changes(const std::string& name, const Section& section, const std::string& without, const Add& add) {
  const auto usual = scenario::written_value(Section{}), given = scenario::written_value(section);
  for (const auto& [key, value] : given.items())
    if (!usual.contains(key) || usual[key] != value)
      add("/" + name + "/" + key, "has no effect in a scenario without " + without + ": remove it");
}

}  // namespace

void check_unused(const NetworkScenario& s, const Add& add) {
  const bool played = !s.collectives.empty() || !s.traces.empty();
  if (s.rdma.empty() && !played) refuse_changes("nics", s.nics, R"("rdma", "collectives" or "traces")", add);
  if (s.tcp.empty()) {
    refuse_changes("tcp_stack", s.tcp_stack, R"("tcp")", add);
    refuse_changes("tcp_hosts", s.tcp_hosts, R"("tcp")", add);
  }
  if (!played && s.servers.gpus != 1)
    add("/servers/gpus", R"(has no effect in a scenario without "collectives" or "traces": remove it)");
}

}  // namespace peerpath::network_scenario
