// What a stage of a bounced queue needs around it, for tests: a table of requests, a core, and 1000 bytes of staging.
#pragma once

#include <gtest/gtest.h>

#include "devices/host_cpu/core.hpp"
#include "devices/host_cpu/driver_context.hpp"
#include "devices/host_cpu/setup.hpp"
#include "devices/nic/test_outbox.hpp"

namespace peerpath::host_cpu {

class StageTest : public testing::Test {
 protected:
  CopyRequests copies;
  DriverContext host{{}, copies};
  Core core;
  nic::TestOutbox out;
  BounceSetup setup{{{fabric::NodeId{1}, BusAddress{0x1000}}, Bytes{1000}},
                    GpuAddress{0x50000},
                    {fabric::NodeId{2}, BusAddress{0x9000}},
                    {fabric::NodeId{1}, BusAddress{0x100}}};
};

}  // namespace peerpath::host_cpu
