// What tests of foreign TLM-2.0 components share.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>
#include <unistd.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "peerpath/base/random.hpp"
#include "peerpath/sc/pcie_port.hpp"
#include "peerpath/sc/time.hpp"

namespace peerpath::sc {

inline constexpr std::uint64_t memory_base = 0x10'0000;

/// A switch of our own, for lack of anything else in this test.
struct Router : sc_core::sc_module {
  Router(const sc_core::sc_module_name& name, Domain& domain, int count)
      : sc_core::sc_module{name}, node{domain.add_router("router", {.latency = std::chrono::nanoseconds{110}})} {
    for (int i = 0; i < count; ++i)
      ports.push_back(std::make_unique<PciePort>("port" + std::to_string(i), domain, node));
  }
  fabric::NodeId node;
  std::vector<std::unique_ptr<PciePort>> ports;
};

/// Answers after a random time, several at once and so not in order of arrival.
struct SlowMemory : sc_core::sc_module {
  SC_HAS_PROCESS(SlowMemory);
  explicit SlowMemory(const sc_core::sc_module_name& name)
      : sc_core::sc_module{name}, socket{"socket"}, queue{"queue"} {
    socket.register_nb_transport_fw(this, &SlowMemory::request);
    SC_METHOD(answer);
    dont_initialize();
    sensitive << queue.get_event();
  }
  tlm::tlm_sync_enum request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    payload.acquire();
    auto* data = payload.get_data_ptr();
    const auto address = payload.get_address() - memory_base;
    if (payload.is_write())
      for (unsigned i = 0; i < payload.get_data_length(); ++i) bytes[address + i] = data[i];
    else
      for (unsigned i = 0; i < payload.get_data_length(); ++i) data[i] = bytes[address + i];
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    queue.notify(payload, delay + to_sc_time(Duration{static_cast<std::int64_t>(random.below(900'000'000))}));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void answer() {
    while (auto* payload = queue.get_next_transaction()) {
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->nb_transport_bw(*payload, phase, delay);
      payload->release();
    }
  }
  tlm_utils::simple_target_socket<SlowMemory> socket;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> queue;
  std::map<std::uint64_t, unsigned char> bytes;
  Random random{11, "memory"};
};

/// The times that a platform with that quantum gets in a child process: SystemC runs once a process.
template <class Platform>
std::vector<std::int64_t> times_in_child(Duration quantum, fabric::Mode mode) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const auto child = fork();
  if (child == 0) {
    const auto times = Platform{quantum, mode}.run();
    const auto bytes = times.size() * sizeof(times[0]);
    const bool sent = ::write(ends[1], times.data(), bytes) == static_cast<ssize_t>(bytes);
    _exit(sent && !testing::Test::HasFailure() ? 0 : 1);
  }
  close(ends[1]);
  std::vector<std::int64_t> times(10'000);
  std::size_t got = 0;
  for (ssize_t n = 0; (n = ::read(ends[0], reinterpret_cast<char*>(times.data()) + got, times.size() * 8 - got)) > 0;)
    got += static_cast<std::size_t>(n);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  times.resize(got / sizeof(times[0]));
  return times;
}

}  // namespace peerpath::sc
