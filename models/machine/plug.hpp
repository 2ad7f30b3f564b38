// An emulated device at the fabric of a machine, whatever its kind.
#pragma once

#include <string>

#include "machine/guest.hpp"
#include "machine/mover.hpp"
#include "peerpath/device/dma.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::machine {

class Plug;

/// Services of the machine for its devices.
class Board {
 public:
  virtual ~Board() = default;
  /// Decodes the address of a transaction of the device, and numbers it.
  virtual fabric::Transaction address(Plug& plug, const fabric::Transaction& transaction,
                                      const device::Content& content) = 0;
  /// The transaction that brings a message to the host.
  virtual fabric::Transaction address_message(Plug& plug, const Message& message) = 0;
  virtual Mover& mover() = 0;
  virtual Guest& guest() = 0;
  /// Keeps the bytes of a frame on a cable, until `take_frame`.
  virtual std::uint64_t keep_frame(std::span<const std::uint8_t> bytes) = 0;
  virtual std::vector<std::uint8_t> take_frame(std::uint64_t handle) = 0;
};

/// Base of the emulated devices: translates between the cookies of the device and the numbers that the mover gives.
class Plug : public device::Endpoint {
 public:
  Plug(Board& board, DeviceNumber number, std::string name) : board_{board}, number_{number}, name_{std::move(name)} {}
  Plug(const Plug&) = delete;
  Plug& operator=(const Plug&) = delete;

  DeviceNumber number() const { return number_; }
  const std::string& name() const { return name_; }

  /// Whether a BAR is plain memory: accesses have no side effects.
  virtual bool is_memory(int bar) const = 0;
  /// Bytes as they lie on the bus. Writes of registers are the device's work; a read has no effect.
  virtual bool load(int bar, std::uint64_t offset, std::span<std::uint8_t> into) = 0;
  virtual bool store(int bar, std::uint64_t offset, std::span<const std::uint8_t> from) = 0;
  /// As after power on. Writes that are under way arrive all the same.
  virtual void reset(Instant now) = 0;

  void start(device::Outbox& out) override { out_ = &out; }
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_computed(const fabric::Delivery& delivery) override;

 protected:
  void submit_to(fabric::ChannelIndex channel, const fabric::Transaction& t, const device::Content& content) {
    out_->submit(channel, board_.address(*this, t, content));
  }
  void send_message(fabric::ChannelIndex channel, std::uint32_t vector, Instant now);
  /// A transaction of this device, with its own cookie, and the bytes of a successful read.
  virtual void delivered(const fabric::Delivery& delivery, std::span<const std::uint8_t> data) = 0;
  virtual void computed(const fabric::Delivery& /*delivery*/) {}
  /// Sets the device's time before it hears of something.
  virtual void set_time(Instant now) = 0;

  Board& board_;
  device::Outbox* out_ = nullptr;  ///< from the start on

 private:
  DeviceNumber number_;
  std::string name_;
};

}  // namespace peerpath::machine
