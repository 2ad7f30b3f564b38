// Memory of a GPU against the fake driver, whose device memory is a memfd: what a NIC would do with the dma-buf is done
// through a mapping of it.
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "validation/agent/pattern.hpp"
#include "validation/agent/transfer.hpp"
#include "validation/agent/trial.hpp"

namespace peerpath::agent {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t page = 2 << 20;

class GpuMemory : public testing::Test {
 protected:
  void TearDown() override {
    for (const auto* name : {"FAKE_GPUS", "FAKE_CORRUPT", "FAKE_FAIL", "FAKE_REFUSE"}) unsetenv(name);
  }
  static Memory memory(std::uint64_t bytes) { return {Provider::cuda, PEERPATH_FAKE_DRIVER, bytes}; }
};

TEST_F(GpuMemory, IsExportedInWholePagesAndMovesByRange) {
  const auto buffer = make_buffer(memory(4096 + page));
  ASSERT_TRUE(buffer) << buffer.error().what;
  const auto bytes = buffer->bytes();
  ASSERT_EQ(bytes.size(), 2 * page);
  ASSERT_EQ(::lseek(buffer->dmabuf(), 0, SEEK_END), static_cast<off_t>(2 * page));
  auto* const there = static_cast<unsigned char*>(
      ::mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_SHARED, buffer->dmabuf(), 0));
  ASSERT_NE(there, MAP_FAILED);
  EXPECT_EQ(std::count(there, there + bytes.size(), 0xff), static_cast<std::ptrdiff_t>(bytes.size()));

  fill_pattern(1, 0, bytes);
  ASSERT_TRUE(buffer->store(4097, 1000));
  EXPECT_EQ(first_difference(1, 4097, {there + 4097, 1000}), -1);
  EXPECT_EQ(there[4096], 0xff);
  EXPECT_EQ(there[5097], 0xff);

  Traffic traffic;
  traffic.seed = 2;
  fill_pattern(2, 0, {there + page, 3000});
  Outcome outcome;
  ASSERT_TRUE(count_piece(traffic, *buffer, page, 3000, outcome));
  EXPECT_EQ(outcome.validated, 3000u);
  there[page + 3001] ^= 1;  // of a byte that is not the pattern's
  ASSERT_TRUE(count_piece(traffic, *buffer, page + 3000, 10, outcome));
  EXPECT_GE(outcome.first_wrong, 3000);
  EXPECT_FALSE(count_piece(traffic, *buffer, 2 * page - 1, 2, outcome));
  EXPECT_FALSE(count_piece(traffic, *buffer, ~std::uint64_t{0}, 2, outcome));
  ::munmap(there, bytes.size());
}

TEST_F(GpuMemory, IsTriedWithoutNic) {
  const auto trial = try_memory(memory(4 * page));
  ASSERT_TRUE(trial) << trial.error().what;
  EXPECT_EQ(trial->dmabuf_bytes, static_cast<std::int64_t>(4 * page));
  EXPECT_EQ(trial->validated, 4 * page);
  EXPECT_EQ(trial->problem(), "");
  EXPECT_THAT(trial_json(memory(page), trial), testing::Not(HasSubstr("problem")));
}

TEST_F(GpuMemory, HostMemoryIsTriedTheSame) {
  const auto trial = try_memory({Provider::host, "", 8192});
  ASSERT_TRUE(trial);
  EXPECT_EQ(trial->dmabuf_bytes, -1);
  EXPECT_EQ(trial->validated, 8192u);
}

TEST_F(GpuMemory, CopiesThatLoseDataAreSeen) {
  setenv("FAKE_CORRUPT", "1", 1);
  const auto trial = try_memory(memory(page));
  ASSERT_TRUE(trial) << trial.error().what;
  EXPECT_EQ(trial->first_wrong, static_cast<std::int64_t>(page - 4));
  EXPECT_EQ(trial->problem(), "data differs");
}

TEST_F(GpuMemory, AnExportThatIsRefusedIsUnsupported) {
  setenv("FAKE_REFUSE", "cuMemGetHandleForAddressRange", 1);
  const auto refused = try_memory(memory(page));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().unsupported);
  EXPECT_EQ(refused.error().what, "export of memory as a dma-buf failed with status 801 (not supported)");
  EXPECT_THAT(trial_json(memory(page), refused), HasSubstr(R"("unsupported":true)"));
}

TEST_F(GpuMemory, AnExportOrAnAllocationThatFailsIsNot) {
  for (const auto* function : {"cuMemGetHandleForAddressRange", "cuMemAlloc_v2"}) {
    setenv("FAKE_FAIL", function, 1);
    const auto failed = make_buffer(memory(page));
    ASSERT_FALSE(failed) << function;
    EXPECT_FALSE(failed.error().unsupported) << function;
    EXPECT_THAT(failed.error().what, HasSubstr("status 999")) << function;
  }
}

TEST_F(GpuMemory, WithoutGpuOrDriverItIsUnsupported) {
  auto elsewhere = memory(page);
  elsewhere.path = "/nowhere/libcuda.so.1";
  auto other = memory(page);
  other.provider = Provider::hip;  // the fake has CUDA's names only
  EXPECT_THAT(make_buffer(elsewhere).error().what, HasSubstr("/nowhere/libcuda.so.1"));
  EXPECT_THAT(make_buffer(other).error().what, HasSubstr("hipInit"));
  setenv("FAKE_GPUS", "0", 1);
  const auto none = make_buffer(memory(page));
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().unsupported);
  EXPECT_EQ(none.error().what, "the driver finds no GPU");
}

}  // namespace
}  // namespace peerpath::agent
