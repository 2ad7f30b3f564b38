// Random programs of socket calls, performed by a block and held against the same program on plain sockets.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validation/gpunet/programs/actor.hpp"

namespace peerpath::gpunet::programs {

/// A step, and who performs it.
struct Line {
  enum class Who : std::uint8_t { subject, peer, peer_reset };
  Who who = Who::subject;
  Step step;
  std::uint64_t content = 0;  ///< seed of what is sent
};

/// Where the listening ends of a program's connections are; those of another run are others.
struct Places {
  std::string folder;  ///< of UNIX sockets
  int number = 0;      ///< of the run
};

struct Outcome {
  std::int64_t result = 0;
  std::vector<unsigned char> received;
};

/// One to three connections, UNIX or TCP, accepted or made by the subject; short sends and receives both ways,
/// shutdowns, closes and resets at any moment; now and then a call that must fail.
std::vector<Line> random_program(std::uint64_t seed);

/// Performs it; `settle` is called before each step, and shall return once nothing is under way. `expected` (empty:
/// none) are the outcomes to be reached: where they say that a call need not wait, it may; a peer's data may take a
/// moment.
std::vector<Outcome> perform(const std::vector<Line>& program, Actor& subject, const Places& places,
                             const std::function<void()>& settle, const std::vector<Outcome>& expected);

/// "" if both mean the same; or the first difference, with the program up to there.
std::string difference(const std::vector<Line>& program, const std::vector<Outcome>& oracle,
                       const std::vector<Outcome>& subject);

}  // namespace peerpath::gpunet::programs
