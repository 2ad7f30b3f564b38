// Threadblocks of a GPU that make socket calls: their stores and looks cross PCIe.
#pragma once

#include <vector>

#include "devices/gpunet_proxy/cores.hpp"
#include "devices/gpunet_proxy/plan.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::proxy {

/// Since the start.
struct BlockCounters {
  std::int64_t polls = 0;   ///< looks at host memory
  std::int64_t pieces = 0;  ///< entries that were taken
};

/// Where things are on the bus.
struct Places {
  fabric::NodeId host{};
  std::uint64_t words = 0;  ///< host memory that the cores watch
  std::uint64_t rings = 0;  ///< host memory for payload
  fabric::NodeId nic{};
  std::uint64_t bell = 0;
};

/// Each block does one call after the other. A receive looks at host memory until it sees an entry; it reads what is in
/// the ring, so many bytes at a time, and tells once a quarter of the ring or of the entries is free. A send stores
/// into the ring, waits for its release, stores the entry, and reads once how its sending goes. Over a NIC that reaches
/// the GPU, payload stays in the GPU.
class Blocks final : public device::Endpoint {
 public:
  Blocks(const device::GpunetProxyConfig& config, Duration read_latency, Way way, const Places& places,
         std::vector<Lane*> lanes, std::vector<BlockPlan> plans);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;

  const BlockCounters& counters() const { return counters_; }

 private:
  /// What a block waits for.
  enum class State : std::uint8_t {
    ready,     ///< its timer, to go on with its job
    looking,   ///< an entry
    seen,      ///< its timer, to know what a look found
    loading,   ///< the bytes of one
    got,       ///< its timer, to have received
    room,      ///< the proxy's word, as its ring is full
    storing,   ///< its stores
    released,  ///< its timer, to store the entry
    checking   ///< the proxy's word, after a send
  };
  struct Block {
    BlockPlan plan;
    State state = State::ready;
    int step = 0;           ///< of its job
    std::size_t round = 0;  ///< messages begun
    Lane* lane = nullptr;   ///< of the call
    std::size_t lane_number = 0;
    Bytes left{};   ///< of the call
    Bytes piece{};  ///< under way
    Bytes issued{}, moved{};
    Instant asked{}, sampled{};  ///< of a look: when it was made, when host memory was read
  };

  void go_on(std::size_t block, Instant now, device::Outbox& out);
  void ask(std::size_t block, Bytes size, Instant when, device::Outbox& out);
  void look(std::size_t block, Instant when, device::Outbox& out);
  void looked(std::size_t block, Instant sampled, Instant now, device::Outbox& out);
  void load(std::size_t block, Instant now, device::Outbox& out);
  void received(std::size_t block, Instant now, device::Outbox& out);
  void send(std::size_t block, Lane* lane, Bytes size, Instant now, device::Outbox& out);
  void receive(std::size_t block, Lane* lane, Bytes size, Instant now, device::Outbox& out);
  void next_piece(std::size_t block, Instant now, device::Outbox& out);
  void store(std::size_t block, Instant now, device::Outbox& out);
  void publish(std::size_t block, Instant now, device::Outbox& out);
  void wake(std::size_t block, State state, Instant when, device::Outbox& out);
  /// What gsend or grecv takes beyond its accesses.
  Duration call_of(const Block& block) const;
  /// Whether payload stays in the GPU's memory.
  bool local() const { return way_.rdma && !way_.bounce; }

  device::GpunetProxyConfig config_;
  Duration read_latency_;
  Way way_;
  Places places_;
  std::vector<Lane*> lanes_;
  std::vector<Block> blocks_;
  BlockCounters counters_;
};

}  // namespace peerpath::proxy
