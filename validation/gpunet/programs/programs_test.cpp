#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "validation/gpunet/emulation/grid.hpp"
#include "validation/gpunet/programs/campaign.hpp"

namespace peerpath::gpunet::programs {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// GPUNET_PROGRAMS and GPUNET_SEED in the environment make it a longer one, or another.
void hold_against_posix(unsigned threads, std::uint64_t seed) {
  const auto folder = std::filesystem::temp_directory_path() / ("gpunet" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  emulation::HostNet host{{.sockets = 16, .blocks = 4, .ring_bytes = 1 << 17}};
  Proxy proxy{host.net(),
              {.threads = 1,
               .spin = std::chrono::microseconds{50},
               .nap = std::chrono::microseconds{50},
               .directly = 8,
               .linger = std::chrono::milliseconds{2000},
               .buffer_bytes = 1 << 18}};
  auto desk = std::make_unique<Desk>();
  emulation::Grid grid{
      host.net(), {.blocks = 1, .threads = threads}, [&](auto& block) { take_dictation(block, *desk); }};
  const auto verdict = run_campaign({.first_seed = setting("GPUNET_SEED", seed),
                                     .programs = static_cast<int>(setting("GPUNET_PROGRAMS", 150)),
                                     .folder = folder.string()},
                                    *desk, proxy);
  grid.wait();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(verdict.different, 0) << verdict.first_difference;
  EXPECT_GT(verdict.equal, 0);
  EXPECT_GT(verdict.received, 1000u);
}

TEST(GpunetPrograms, DoWhatPosixSocketsDoWithOneThread) { hold_against_posix(1, 1); }
TEST(GpunetPrograms, DoWhatPosixSocketsDoWithThreeThreads) { hold_against_posix(3, 100001); }

}  // namespace
}  // namespace peerpath::gpunet::programs
