#include "observe/trace/tags.hpp"

#include <gtest/gtest.h>

#include "observe/trace/test_scene.hpp"

namespace peerpath::trace {
namespace {

using namespace literals;
using pcie::TlpClass;

struct TraceTags : testing::Test {
  TestScene t;
  Tags tags{t.scene.topology};
  fabric::Transaction read = test_read();

  Tlp request(std::uint64_t number, std::uint64_t address, std::int64_t ns) {
    return tags.complete(t.record(t.to_nic, false, TlpClass::non_posted, number, read, address, 0_B, ns), read);
  }
  Tlp completion(std::uint64_t number, std::uint64_t address, Bytes payload, std::int64_t ns, bool at_nic) {
    const auto link = at_nic ? t.to_nic : t.to_gpu;
    return tags.complete(t.record(link, at_nic, TlpClass::completion, number, read, address, payload, ns), read);
  }
};

TEST_F(TraceTags, ARequestAsksForItsPieceOfTheTransaction) {
  EXPECT_EQ(request(1, 0x100000010, 0).bytes, 496_B);  // up to the next multiple of MRRS
  EXPECT_EQ(request(1, 0x100000200, 1).bytes, 504_B);  // the rest
}

TEST_F(TraceTags, EachOutstandingRequestHasATagOfItsOwn) {
  EXPECT_EQ(request(1, 0x100000010, 0).tag, 0);
  EXPECT_EQ(request(1, 0x100000200, 1).tag, 1);
  EXPECT_EQ(request(2, 0x100000010, 2).tag, 2);
  EXPECT_EQ(tags.outstanding(t.nic), 3U);
}

TEST_F(TraceTags, ACompletionHasTheTagOfItsRequestUntilTheLastOneHasComeIn) {
  request(1, 0x100000010, 0);
  request(1, 0x100000200, 1);
  EXPECT_EQ(completion(1, 0x100000200, 256_B, 10, false).tag, 1);
  EXPECT_EQ(completion(1, 0x100000010, 240_B, 11, true).remaining, 496_B);
  const auto rest = completion(1, 0x100000100, 256_B, 12, true);
  EXPECT_EQ(rest.tag, 0);
  EXPECT_EQ(rest.remaining, 256_B);
  EXPECT_EQ(request(2, 0x100000010, 13).tag, 0);  // free again
}

TEST_F(TraceTags, TheLastTlpOfATransactionIsKnown) {
  request(1, 0x100000010, 0);
  request(1, 0x100000200, 1);
  EXPECT_FALSE(completion(1, 0x100000010, 496_B, 10, true).last);
  EXPECT_FALSE(completion(1, 0x100000200, 504_B, 11, false).last);  // has one link to go
  EXPECT_TRUE(completion(1, 0x100000200, 504_B, 12, true).last);
}

TEST_F(TraceTags, ACompletionWithoutTheDataThatWasAskedForSaysWhy) {
  read.answer = pcie::Status::completer_abort;
  request(1, 0x100000010, 0);
  const auto answer = completion(1, 0x100000010, 0_B, 10, true);
  EXPECT_EQ(answer.status, pcie::Status::completer_abort);
  EXPECT_EQ(tags.outstanding(t.nic), 0U);
}

}  // namespace
}  // namespace peerpath::trace
