#include "devices/nic/gve_registers.hpp"

namespace peerpath::nic::gve {
namespace {

enum Register : std::uint64_t {
  device_status = 0x00,
  driver_status_register = 0x04,
  max_tx_queues = 0x08,
  max_rx_queues = 0x0c,
  adminq_doorbell = 0x14,
  adminq_event_counter = 0x18,
  adminq_base_high = 0x20,
  adminq_base_low = 0x24,
  adminq_length = 0x28,
};

constexpr std::uint32_t status_reset = 1 << 1, status_link_up = 1 << 2, status_is_reset = 1 << 4;
constexpr std::uint32_t driver_run = 1 << 0, driver_reset = 1 << 1;

}  // namespace

Registers::Registers(const Offer& offer, GuestMemory& memory, Backend& backend)
    : offer_{offer}, backend_{backend}, admin_{offer, backend}, commands_{memory, admin_, backend} {}

std::uint32_t Registers::read(std::uint64_t offset, unsigned width) {
  if (width != 4) return 0;
  switch (offset) {
    case device_status:
      return (reset_requested_ ? status_reset : 0) | (backend_.link_up() ? status_link_up : 0) |
             (is_reset_ && backend_.fenced() ? status_is_reset : 0);
    case max_tx_queues:
    case max_rx_queues:
      return static_cast<std::uint32_t>(offer_.queues);
    case adminq_event_counter:
      return commands_.done();
    default:
      return 0;
  }
}

void Registers::write(std::uint64_t offset, unsigned width, std::uint32_t value) {
  if (offset == adminq_length && width == 2) {
    commands_.set_length(value & 0xffff);
    return;
  }
  if (width != 4) return;  // the driver's version comes byte by byte; nothing depends on it
  switch (offset) {
    case driver_status_register:
      return driver_status(value);
    case adminq_doorbell:
      if (!running_ || !commands_.announce(value)) ++bad_doorbells_;
      return;
    case adminq_base_high:
      return commands_.set_address((commands_.address() & 0xffff'ffff) | static_cast<std::uint64_t>(value) << 32);
    case adminq_base_low:
      return commands_.set_address((commands_.address() & ~std::uint64_t{0xffff'ffff}) | value);
    default:
      return;
  }
}

void Registers::driver_status(std::uint32_t value) {
  if ((value & driver_reset) != 0) {
    commands_.restart();
    admin_.reset();
    backend_.fence();
    running_ = false;
    is_reset_ = true;
    reset_requested_ = false;
  } else if ((value & driver_run) != 0) {
    running_ = true;
    is_reset_ = false;
    commands_.restart();
  }
}

void Registers::reset() {
  commands_.restart();
  admin_.reset();
  commands_.set_address(0);
  commands_.set_length(0);
  running_ = is_reset_ = reset_requested_ = false;
}

bool Registers::ring(std::uint32_t index, std::uint32_t value) {
  const auto queue_of = [&](std::uint32_t first) { return QueueIndex{static_cast<std::uint16_t>(index - first)}; };
  if (index >= rx_doorbells) {
    const auto* rx = admin_.rx(queue_of(rx_doorbells));
    if (rx == nullptr || value >= rx->buffer_entries) return false;
    backend_.rx_tail(rx->queue, value);
    return true;
  }
  if (index >= tx_doorbells) {
    const auto* tx = admin_.tx(queue_of(tx_doorbells));
    if (tx == nullptr || value >= tx->entries) return false;
    backend_.tx_tail(tx->queue, value);
    return true;
  }
  if (index >= static_cast<std::uint32_t>(offer_.vectors)) return false;
  backend_.vector_doorbell(index, value);
  return true;
}

void Registers::doorbell(std::uint64_t offset, std::uint32_t value) {
  const bool inside = running_ && offset % 4 == 0 && offset / 4 < 0x1000;
  if (!inside || !ring(static_cast<std::uint32_t>(offset / 4), value)) ++bad_doorbells_;
}

}  // namespace peerpath::nic::gve
