// What frames that arrive at NICs are set up with.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "peerpath/observe/results.hpp"
#include "traffic/network/setup.hpp"
#include "transport/traffic/frame_stream.hpp"

namespace peerpath::platform {

/// Stages of the latency of a received packet: `pipeline`, `descriptor`, `dma`, `writeback`, `moderation`, `driver`.
std::vector<observe::StageResult> receive_stages();

/// The receive entries. The queues of a NIC are shared out evenly between their destinations; with more than one
/// destination, flow rules steer.
class ReceiveSetup final : public KindSetup {
 public:
  explicit ReceiveSetup(SetupContext& context) : context_{context} {}

  void add(std::size_t entry) override;
  void complete() override;

 private:
  void drive_queues(Nic& nic, const std::string& name);
  void steer(Nic& nic, const std::string& name, const FlowRange& flows);
  void add_stream(const FlowRange& flows, transport::EthernetSender& sender);
  void replay(std::size_t entry, transport::EthernetSender& sender);
  void receive(const std::string& nic);

  SetupContext& context_;
  NamesInTurn nics_;
  std::map<std::string, std::unique_ptr<transport::EthernetSender>> senders_;  ///< by NIC
};

}  // namespace peerpath::platform
