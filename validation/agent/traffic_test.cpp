#include "validation/agent/traffic.hpp"

#include <gmock/gmock.h>

namespace peerpath::agent {
namespace {

using testing::HasSubstr;

TEST(Traffic, ReadsWhatIsGivenAndKeepsTheRest) {
  const auto traffic = read_traffic(R"({"role": "sink", "api": "devmem", "interface": "eth0", "address": "10.0.0.1",
      "bytes": 12345, "memory": {"provider": "virtio_gpu", "bytes": 8192}})");
  ASSERT_TRUE(traffic) << traffic.error().what;
  EXPECT_EQ(traffic->api, Api::devmem);
  EXPECT_EQ(traffic->bytes, 12345u);
  EXPECT_EQ(traffic->memory.provider, Provider::virtio_gpu);
  EXPECT_EQ(traffic->memory.bytes, 8192u);
  EXPECT_EQ(traffic->port, 5201);
}

TEST(Traffic, OfRdmaNeedsNoInterface) {
  const auto traffic =
      read_traffic(R"({"api": "verbs", "operation": "read", "device": "rxe0", "address": "10.0.0.1"})");
  ASSERT_TRUE(traffic) << traffic.error().what;
  EXPECT_EQ(traffic->operation, RdmaOperation::read);
  EXPECT_EQ(traffic->device, "rxe0");
}

TEST(Traffic, SaysAllThatIsWrong) {
  const auto traffic =
      read_traffic(R"({"api": "devmen", "adress": "x", "port": 70000, "memory": {"provider": "cude", "bytes": 5000}})");
  ASSERT_FALSE(traffic);
  for (const char* part : {"'devmen'", "did you mean 'address'?", "port is not a whole number from 1 to 65535",
                           "host, udmabuf, virtio_gpu, p2pdma, cuda, hip, not 'cude'", "multiple of 4096"}) {
    EXPECT_THAT(traffic.error().what, HasSubstr(part));
  }
}

TEST(Traffic, WhatDoesNotGoTogether) {
  EXPECT_THAT(read_traffic(R"({"api": "devmem", "interface": "eth0", "address": "::1"})").error().what,
              HasSubstr("devmem needs memory"));
  EXPECT_THAT(read_traffic(R"({"api": "zcrx", "role": "source", "interface": "e", "address": "::1"})").error().what,
              HasSubstr("zcrx only receives"));
  EXPECT_THAT(
      read_traffic(R"({"api": "verbs", "address": "::1", "bytes": 8192, "memory": {"bytes": 4096}})").error().what,
      HasSubstr("memory for the whole stream"));
  EXPECT_FALSE(read_traffic("[]"));
  EXPECT_FALSE(read_traffic("{"));
}

TEST(Traffic, MemoryAloneIsReadTheSame) {
  const auto memory = read_memory(R"({"provider": "cuda", "bytes": 8192})");
  ASSERT_TRUE(memory) << memory.error().what;
  EXPECT_EQ(memory->provider, Provider::cuda);
  EXPECT_EQ(name_of(memory->provider), "cuda");
  EXPECT_EQ(memory->bytes, 8192u);
  EXPECT_THAT(read_memory(R"({"byte": 8192, "bytes": 5000})").error().what,
              testing::AllOf(HasSubstr("did you mean 'bytes'?"), HasSubstr("multiple of 4096")));
  EXPECT_FALSE(read_memory("cuda"));
}

TEST(Traffic, ReportsShortAndWrongData) {
  const Traffic traffic;
  Outcome outcome;
  outcome.bytes = traffic.bytes;
  EXPECT_THAT(report_json(traffic, outcome), testing::Not(HasSubstr("problem")));
  outcome.bytes -= 1;
  EXPECT_THAT(report_json(traffic, outcome), HasSubstr("ended early"));
  outcome.first_wrong = 3;
  EXPECT_THAT(report_json(traffic, outcome), HasSubstr("data differs"));
}

}  // namespace
}  // namespace peerpath::agent
