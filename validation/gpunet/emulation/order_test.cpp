// Data and flags under writes that are held back and reordered, as PCIe may.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "validation/gpunet/apps/stream.hpp"
#include "validation/gpunet/emulation/grid.hpp"
#include "validation/gpunet/proxy/proxy.hpp"

namespace peerpath::gpunet::emulation {
namespace {

constexpr std::uint64_t message = 5000, messages = 60;

/// A stream from one net to another by a UNIX socket; what the receiver found.
apps::StreamResult stream_through(bool release, std::uint64_t seed, std::uint64_t bytes = message,
                                  std::uint64_t count = messages) {
  const std::string path = "/tmp/gpunet-order." + std::to_string(::getpid());
  const Dimensions size{.sockets = 4, .blocks = 1, .ring_bytes = 1 << 15};
  const ProxyOptions options{.threads = 1, .spin = std::chrono::microseconds{50}, .nap = std::chrono::microseconds{50}};
  HostNet from{size}, to{size};
  Proxy sends{from.net(), options}, receives{to.net(), options};
  alignas(16) static unsigned char memory[2 * message], buffer[message + 8];
  apps::StreamResult result{};
  apps::Task task;
  task.address = local_address(path.c_str());
  task.bytes = bytes;
  task.count = count;
  auto receive = task;
  receive.memory = buffer;
  receive.results = reinterpret_cast<std::uint64_t*>(&result);
  task.memory = memory;
  ::unlink((path + ".0000").c_str());
  {
    Grid receiver{to.net(), {.blocks = 1, .threads = 2}, [&](Block& block) { apps::stream_receive(block, receive); }};
    Grid sender{from.net(),
                {.blocks = 1, .threads = 2, .posted = true, .seed = seed, .release = release},
                [&](Block& block) { apps::stream_send(block, task); }};
  }
  ::unlink((path + ".0000").c_str());
  return result;
}

TEST(GpunetOrder, HoldsWhenWritesAreHeldBack) {
  const auto result = stream_through(true, 1);
  EXPECT_EQ(result.bytes, message * messages);
  EXPECT_EQ(result.wrong_words, 0u);
}

/// With all entries under way thread 0 alone looks at what the proxy has sent: the others must wait for what it finds.
TEST(GpunetOrder, HoldsWhenSmallMessagesFillAllEntries) {
  const auto result = stream_through(true, 1, 64, 8 * entries);
  EXPECT_EQ(result.bytes, 64 * 8 * entries);
  EXPECT_EQ(result.wrong_words, 0u);
}

/// Without it the test above would prove nothing. (ThreadSanitizer would report the race that this is.)
TEST(GpunetOrder, BreaksWithoutRelease) {
#if defined(__SANITIZE_THREAD__) || defined(GPUNET_RACES_ARE_REPORTED)
  GTEST_SKIP() << "a race by intent";
#endif
  std::uint64_t wrong = 0;
  for (std::uint64_t seed = 1; seed <= 50 && wrong == 0; ++seed) wrong += stream_through(false, seed).wrong_words;
  EXPECT_GT(wrong, 0u);
}

}  // namespace
}  // namespace peerpath::gpunet::emulation
