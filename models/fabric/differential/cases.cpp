// What a case is put together of.
#include "fabric/differential/arbitration.hpp"
#include "fabric/differential/draw.hpp"
#include "fabric/differential/generate.hpp"
#include "fabric/differential/hosts.hpp"
#include "fabric/differential/incidents.hpp"
#include "fabric/differential/marked.hpp"
#include "fabric/differential/recurring.hpp"
#include "fabric/differential/redirected.hpp"
#include "fabric/differential/sends.hpp"
#include "fabric/differential/shapes.hpp"

namespace peerpath::fabric::differential {
namespace {

Scenario one_host(std::uint64_t seed) {
  Scenario scenario = generate_tree(seed);
  add_shapes(scenario);
  add_gates(scenario);
  refuse_writes(scenario);
  add_marked(scenario);
  add_retrains(scenario);
  add_removals(scenario);
  add_acs(scenario);
  add_redirected(scenario);
  add_recurring(scenario);
  add_spoofs(scenario);
  add_weights(scenario);
  add_channels(scenario);
  return scenario;
}

}  // namespace

Scenario generate(std::uint64_t seed) {
  Scenario scenario = one_host(seed);
  Draw draw{seed ^ 0x405e5};
  if (draw.chance(10)) add_host(scenario, one_host(draw.next()));
  add_sends(scenario);
  add_promises(scenario);
  return scenario;
}

}  // namespace peerpath::fabric::differential
