// main of the SystemC tests. The kernel is one a process, so every test that simulates runs in a process of its own
// (gtest_discover_tests does that).
#include <gtest/gtest.h>

#include <systemc>

#include "peerpath/sc/time.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  peerpath::sc::set_femtosecond_resolution();
  return RUN_ALL_TESTS();
}

// The SystemC library refers to it.
int sc_main(int, char**) { return 1; }
