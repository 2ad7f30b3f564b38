// A host's PCIe, TLP by TLP, with an RDMA NIC that moves what a network brings and asks for.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "peerpath/observe/histogram.hpp"
#include "platform/hardware_events.hpp"
#include "platform/meter.hpp"
#include "platform/network/node.hpp"
#include "platform/platform.hpp"
#include "platform/traffic_setup.hpp"
#include "scenario/network/load.hpp"
#include "transport/host/host_dma.hpp"

namespace peerpath::network_run {

/// The devices, links, ACS controls, events and other traffic of a node's scenario. Its `receive` and `transmit`
/// entries say which NIC it is and where payload goes and comes from: the NIC writes a packet's payload there, and
/// reads it there, on two queues of its own (posted and non-posted requests of one function keep their order). Each
/// takes the NIC's `pipeline_latency`, one nanosecond at least. No descriptor or completion is moved.
class HostModel final : public transport::HostDma, private fabric::DeliverySink {
 public:
  /// `number`: of the host; its random numbers are its own.
  static tl::expected<std::unique_ptr<HostModel>, Problems> make(const scenario::Loaded& node, std::size_t number);
  HostModel(const scenario::Loaded& node, std::size_t number);  // make calls it

  Duration latency() const override { return latency_; }
  Bytes transmit_buffer() const override { return transmit_buffer_; }
  void write(Bytes size, Instant now) override { submit(writes_, size, now); }
  void read(Bytes size, Instant now) override { submit(reads_, size, now); }
  void advance(Instant until) override;

  /// Counting starts, at what has been computed so far.
  void begin_window();
  /// Since then: from a packet in the NIC to its payload in memory; from asking for payload to having it.
  const observe::Histogram& write_latency() const { return writes_.latency; }
  const observe::Histogram& read_latency() const { return reads_.latency; }
  /// To what was over last.
  Duration window() const { return std::max(writes_.last, reads_.last) - begun_; }
  Bytes written_bytes() const { return writes_.over; }
  Bytes read_bytes() const { return reads_.over; }
  /// Writes and reads since the start that memory refused or nobody answered.
  std::int64_t failed() const { return writes_.failed + reads_.failed; }
  /// Since the window began.
  HostLimit limit();
  /// Of the byte ledger, since the start.
  std::vector<std::string> violations();

 private:
  struct Request {
    Instant asked{}, done = never;
    Bytes size{};
  };
  /// One queue of the NIC.
  struct Way {
    pcie::Operation op{};
    fabric::ChannelIndex channel{};
    fabric::NodeId target{};
    std::uint64_t address = 0;
    std::int64_t window = 0, next = 0;  ///< bytes
    std::uint64_t first = 0;            ///< number of the first of those under way
    Ring<Request> under_way{};
    Instant last{};
    Bytes over{};
    std::int64_t failed = 0;
    observe::Histogram latency{};
  };
  /// What a direction of a link has counted.
  struct Counted {
    Duration busy{}, stalled{};
  };

  Problems build();
  void aim(Way& way, std::size_t entry, const std::vector<scenario::Bar1Plan>& plans);
  void submit(Way& way, Bytes size, Instant now);
  void deliver(const fabric::Delivery& delivery) override;
  std::vector<Counted> counted();
  loop::Reactor& reactor() { return platform_.domain.reactor(); }

  scenario::Scenario scenario_, others_;
  platform::Meter meter_;
  platform::Platform platform_;
  platform::HardwareEvents events_;
  platform::TrafficSetup traffic_;
  fabric::NodeId nic_{};
  Duration latency_{};
  Bytes transmit_buffer_{};
  Way writes_, reads_;
  Instant begun_{};
  std::vector<Counted> before_;
  Problems problems_;
};

}  // namespace peerpath::network_run
