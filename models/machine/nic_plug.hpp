// The emulated NIC at the fabric of a machine.
#pragma once

#include <deque>

#include "devices/nic/gve_nic.hpp"
#include "machine/plug.hpp"

namespace peerpath::machine {

/// Configuration that the guest sees, and the timing of receive coalescing: segments are held until none has arrived
/// for `coalesce_idle`, and for `coalesce_limit` at most.
struct NicOptions {
  nic::gve::Offer offer{};
  Duration coalesce_idle = std::chrono::milliseconds{1}, coalesce_limit = std::chrono::milliseconds{100};
};

/// BAR 0: registers, BAR 2: doorbells. Its Ethernet port is number 0.
class NicPlug final : public Plug, private nic::gve::Host {
 public:
  static constexpr int registers_bar = 0, doorbells_bar = 2;

  /// `config`: of the model's NIC. Its times and rates hold; sizes of rings and buffers are the driver's.
  NicPlug(Board& board, DeviceNumber number, const std::string& name, const NicOptions& options,
          const device::NicConfig& config);

  /// Frames go by a cable of the scenario.
  void set_cabled() { cabled_ = true; }
  /// The last bit of a frame has come in by a port without a cable.
  void receive(std::span<const std::uint8_t> frame, Instant now);
  void set_link(bool up, Instant now);

  bool is_memory(int) const override { return false; }
  bool load(int bar, std::uint64_t offset, std::span<std::uint8_t> into) override;
  bool store(int bar, std::uint64_t offset, std::span<const std::uint8_t> from) override;
  void reset(Instant now) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) override;

  const nic::gve::Nic& nic() const { return nic_; }

 private:
  void delivered(const fabric::Delivery& d, std::span<const std::uint8_t> data) override { nic_.on_delivery(d, data); }
  void computed(const fabric::Delivery& d) override { nic_.on_computed(d); }
  void set_time(Instant now) override;
  void submit(fabric::ChannelIndex channel, const fabric::Transaction& t, const device::Content& content) override {
    submit_to(channel, t, content);
  }
  void wake_at(Instant when) override;
  void flush_soon() override;
  void interrupt(std::uint32_t vector) override;
  void transmit(std::span<const std::uint8_t> frame, Instant when) override;
  void send_due();

  struct Leaving {
    Instant when{};
    std::vector<std::uint8_t> frame;
  };

  const NicOptions options_;
  bool cabled_ = false;
  Instant now_{}, held_since_ = never;
  std::deque<Leaving> leaving_;  ///< by a port without a cable
  nic::gve::Nic nic_;
};

}  // namespace peerpath::machine
