#include "sc/unloaded.hpp"

#include <memory>
#include <optional>

#include "peerpath/base/fail.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::sc {
namespace {

constexpr Duration longest = std::chrono::milliseconds{10};

/// Waits for the end of one transaction, and answers at once for external completers.
class Probe final : private fabric::DeliverySink {
 public:
  explicit Probe(const fabric::Topology& topology) : fabric_{fabric::make_fabric(topology, *this)} {}

  Duration latency(const fabric::Transaction& transaction, fabric::NodeId from) {
    fabric_->submit(from, fabric::ChannelIndex{1}, transaction);
    while (!done_) {
      const auto horizon = fabric_->advance(Instant{longest});
      if (!asked_ && !done_) require(horizon < Instant{longest}, "an access ends in time where nothing else happens");
      if (asked_) fabric_->respond(asked_->request, asked_->done, pcie::Status::success);
      asked_.reset();
    }
    return *done_ - Instant{};
  }

 private:
  void deliver(const fabric::Delivery& delivery) override {
    if (delivery.kind == fabric::DeliveryKind::requested)
      asked_ = delivery;
    else
      done_ = delivery.done;
  }

  std::unique_ptr<fabric::Fabric> fabric_;
  std::optional<fabric::Delivery> asked_;
  std::optional<Instant> done_;
};

}  // namespace

UnloadedLatency unloaded_latency(const fabric::Topology& topology, fabric::NodeId from, fabric::NodeId to) {
  auto bare = topology;
  for (auto& link : bare.links)
    for (auto& direction : link.direction) direction.gate = nullptr;
  const fabric::Transaction write{
      .target = to, .op = pcie::Operation::memory_write, .notify_requester = true, .bytes = Bytes{64}};
  auto read = write;
  read.op = pcie::Operation::memory_read;
  return {.read = Probe{bare}.latency(read, from), .write = Probe{bare}.latency(write, from)};
}

}  // namespace peerpath::sc
