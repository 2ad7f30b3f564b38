#include "validation/gpunet/programs/campaign.hpp"

#include <algorithm>

namespace peerpath::gpunet::programs {

Verdict run_campaign(const Campaign& campaign, Desk& desk, Proxy& proxy) {
  Verdict verdict;
  BlockActor block{desk};
  for (int n = 0; n < campaign.programs; ++n) {
    const auto seed = campaign.first_seed + static_cast<std::uint64_t>(n);
    const auto program = random_program(seed);
    std::vector<Outcome> oracle;
    {
      PosixActor posix;
      oracle = perform(program, posix, {campaign.folder, 2 * n}, [] {}, {});
    }
    std::fill(std::begin(desk.descriptors), std::end(desk.descriptors), 0);
    const auto subject = perform(
        program, block, {campaign.folder, 2 * n + 1}, [&] { proxy.settle(); }, oracle);
    const auto found = difference(program, oracle, subject);
    ++(found.empty() ? verdict.equal : verdict.different);
    if (!found.empty() && verdict.first_difference.empty())
      verdict.first_difference = "seed " + std::to_string(seed) + "\n" + found;
    verdict.calls += program.size();
    for (const auto& outcome : subject) verdict.received += outcome.received.size();
    const bool hangs = std::any_of(subject.begin(), subject.end(), [](const auto& o) { return o.result == -ETIME; });
    if (hangs) {
      proxy.stop();  // ends what waits
      break;
    }
  }
  block.end();
  return verdict;
}

}  // namespace peerpath::gpunet::programs
