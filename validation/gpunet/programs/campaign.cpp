#include "validation/gpunet/programs/campaign.hpp"

#include <algorithm>
#include <cerrno>

namespace peerpath::gpunet::programs {
namespace {

using Program = std::vector<Line>;

bool hangs(const std::vector<Outcome>& outcomes) {
  return std::ranges::any_of(outcomes, [](const auto& outcome) { return outcome.result == -ETIME; });
}

/// Performs programs by either party, each time at places of their own.
class Stage {
 public:
  Stage(const std::string& folder, Desk& desk, Proxy& proxy, BlockActor& block)
      : folder_{folder}, desk_{desk}, proxy_{proxy}, block_{block} {}

  std::vector<Outcome> oracle(const Program& program) {
    PosixActor posix;
    return perform(program, posix, {folder_, performed_++}, [] {}, {});
  }
  std::vector<Outcome> subject(const Program& program, const std::vector<Outcome>& expected) {
    std::fill(std::begin(desk_.descriptors), std::end(desk_.descriptors), 0);
    return perform(
        program, block_, {folder_, performed_++}, [this] { proxy_.settle(); }, expected);
  }

 private:
  const std::string& folder_;
  Desk& desk_;
  Proxy& proxy_;
  BlockActor& block_;
  int performed_ = 0;
};

/// Whose outcome hangs on the moment: the oracle's against its first, and the subject's against the oracle's first.
std::string repeated(Stage& stage, const Program& program, const std::vector<Outcome>& oracle) {
  constexpr int times = 20;
  int other_oracles = 0, other_subjects = 0;
  for (int n = 0; n < times; ++n) {
    other_oracles += difference(program, oracle, stage.oracle(program)).empty() ? 0 : 1;
    const auto subject = stage.subject(program, oracle);
    if (hangs(subject)) return "repeated: the subject hangs\n";
    other_subjects += difference(program, oracle, subject).empty() ? 0 : 1;
  }
  return "repeated " + std::to_string(times) + " times: plain sockets differed from this " +
         std::to_string(other_oracles) + " times, the subject " + std::to_string(other_subjects) + " times\n";
}

}  // namespace

Verdict run_campaign(const Campaign& campaign, Desk& desk, Proxy& proxy) {
  Verdict verdict;
  BlockActor block{desk};
  Stage stage{campaign.folder, desk, proxy, block};
  for (int n = 0; n < campaign.programs; ++n) {
    const auto seed = campaign.first_seed + static_cast<std::uint64_t>(n);
    const auto program = random_program(seed);
    const auto oracle = stage.oracle(program);
    const auto subject = stage.subject(program, oracle);
    const auto found = difference(program, oracle, subject);
    ++(found.empty() ? verdict.equal : verdict.different);
    verdict.calls += program.size();
    for (const auto& outcome : subject) verdict.received += outcome.received.size();
    if (!found.empty() && verdict.first_difference.empty())
      verdict.first_difference =
          "seed " + std::to_string(seed) + "\n" + found + (hangs(subject) ? "" : repeated(stage, program, oracle));
    if (hangs(subject)) {
      proxy.stop();  // ends what waits
      break;
    }
  }
  block.end();
  return verdict;
}

}  // namespace peerpath::gpunet::programs
