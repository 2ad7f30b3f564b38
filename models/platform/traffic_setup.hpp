// Traffic entries of a scenario become sources, queues and drivers of its platform.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "devices/gpu/bar1.hpp"
#include "devices/gpu/copy_streams.hpp"
#include "devices/gpu/request_queue.hpp"
#include "devices/gpunet_proxy/platform.hpp"
#include "peerpath/base/problem.hpp"
#include "peerpath/scenario/bar1.hpp"
#include "platform/meter.hpp"
#include "platform/platform.hpp"
#include "transport/traffic/dma_source.hpp"
#include "transport/traffic/frame_stream.hpp"

namespace peerpath::platform {

/// Sets up all traffic of a scenario before the domain is built, and owns what sends it. The queues of a NIC are shared
/// out evenly between the destinations of its receive entries, and likewise between its transmit entries; with more
/// than one destination, flow rules steer. `meter` hears of all of it.
class TrafficSetup {
 public:
  TrafficSetup(const scenario::Scenario& scenario, Platform& platform, Meter& meter,
               const std::vector<std::filesystem::path>& captures);

  const Problems& problems() const { return problems_; }
  /// Of the transfers of an entry, if it has one of its own; nullptr if not.
  const transport::DmaSource* source(std::size_t entry) const {
    const auto found = sources_.find(entry);
    return found == sources_.end() ? nullptr : found->second;
  }

 private:
  void join(const scenario::Cable& cable);
  void receive(const std::string& nic, const std::vector<std::filesystem::path>& captures);
  /// Flows that come from the transmit entry of this name.
  std::uint32_t flows_of_sender(const std::string& name) const;
  void add_stream(std::size_t entry, std::uint32_t first_flow, const std::vector<std::filesystem::path>& captures,
                  transport::EthernetSender& sender);
  void transmit(const std::string& nic);
  Random random_of(const scenario::Traffic& t) const;
  /// When its transfers are offered.
  transport::ArrivalProcess arrival_process(const scenario::Traffic& t) const;
  void transfer(std::size_t entry, const scenario::traffic::Dma& dma);
  /// Streams of copies, by the GPU that makes them: added one by one, then attached.
  void copy(std::size_t entry, const scenario::traffic::Copy& copy);
  void attach_copies();
  void sockets(std::size_t entry);
  /// Whether what the device asks for leaves it by one queue (KernelsConfig::one_queue).
  bool leaves_by_one_queue(const std::string& device) const;
  device::DeviceIndex attach_queue(const std::string& gpu, gpu::CopyStreams* copies);
  void start_source(std::size_t entry, transport::DmaPattern pattern);
  /// What becomes of the GPU memory of an entry, if it is a GPU's.
  bool refused(std::size_t entry) const;
  bool bounced(std::size_t entry) const;
  /// Maps it.
  std::optional<BusAddress> mapped(std::size_t entry);
  std::optional<Buffers> buffers(std::size_t entry);
  void problem(std::size_t entry, const std::string& key, const std::string& message);

  /// Where the frames of a transmit entry go by a cable.
  struct FarEnd {
    std::size_t entry = 0;         ///< that receives them
    std::uint32_t first_flow = 0;  ///< number of their first flow at that NIC
  };

  const scenario::Scenario& scenario_;
  Platform& platform_;
  Meter& meter_;
  std::vector<scenario::Bar1Plan> windows_;
  std::map<std::string, std::unique_ptr<transport::EthernetSender>> senders_;  ///< by NIC
  std::map<std::string, FarEnd> far_ends_;                                     ///< by transmit entry
  std::vector<std::unique_ptr<gpu::Bar1Pieces>> pieces_;
  std::vector<std::unique_ptr<transport::DmaSource>> dma_;
  std::map<std::size_t, const transport::DmaSource*> sources_;  ///< those, by entry
  std::vector<std::unique_ptr<GpuSockets>> sockets_;
  struct Copies {
    std::unique_ptr<gpu::CopyStreams> streams;
    std::vector<std::size_t> entries;  ///< by stream
  };
  std::map<std::string, Copies> copies_;  ///< by GPU
  struct Queued {
    std::unique_ptr<gpu::RequestQueue> queue;
    std::vector<std::pair<transport::DmaSource*, std::size_t>> sources;  ///< with their entries
  };
  std::map<std::string, Queued> queued_;  ///< by GPU: where kernels and others leave by one queue
  Problems problems_;
};

}  // namespace peerpath::platform
