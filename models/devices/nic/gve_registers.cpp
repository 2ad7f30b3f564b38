#include "devices/nic/gve_registers.hpp"

#include "devices/nic/gve_commands.hpp"

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
constexpr std::uint32_t slots = 64;
constexpr std::uint32_t queue_bytes = slots * command_size;

}  // namespace

Registers::Registers(const Offer& offer, GuestMemory& memory, Backend& backend)
    : offer_{offer}, memory_{memory}, backend_{backend}, admin_{offer, memory, backend} {}

std::uint32_t Registers::read(std::uint64_t offset, unsigned width) {
  if (width != 4) return 0;
  switch (offset) {
    case device_status:
      return (reset_requested_ ? status_reset : 0) | (backend_.link_up() ? status_link_up : 0) |
             (is_reset_ ? status_is_reset : 0);
    case max_tx_queues:
    case max_rx_queues:
      return static_cast<std::uint32_t>(offer_.queues);
    case adminq_event_counter:
      return events_;
    default:
      return 0;
  }
}

void Registers::write(std::uint64_t offset, unsigned width, std::uint32_t value) {
  if (offset == adminq_length && width == 2) {
    queue_length_ = value & 0xffff;
    return;
  }
  if (width != 4) return;  // the driver's version comes byte by byte; nothing depends on it
  switch (offset) {
    case driver_status_register:
      return driver_status(value);
    case adminq_doorbell:
      return run_commands(value);
    case adminq_base_high:
      queue_address_ = (queue_address_ & 0xffff'ffff) | static_cast<std::uint64_t>(value) << 32;
      return;
    case adminq_base_low:
      queue_address_ = (queue_address_ & ~std::uint64_t{0xffff'ffff}) | value;
      return;
    default:
      return;
  }
}

void Registers::driver_status(std::uint32_t value) {
  if ((value & driver_reset) != 0) {
    admin_.reset();
    running_ = false;
    is_reset_ = true;
    reset_requested_ = false;
    events_ = 0;
  } else if ((value & driver_run) != 0) {
    running_ = true;
    is_reset_ = false;
    events_ = 0;
  }
}

void Registers::reset() {
  admin_.reset();
  queue_address_ = 0;
  queue_length_ = events_ = 0;
  running_ = is_reset_ = reset_requested_ = false;
}

void Registers::run_commands(std::uint32_t up_to) {
  // A count far ahead would name slots twice: no driver does that.
  if (!running_ || queue_length_ != queue_bytes || up_to - events_ > slots) {
    ++bad_doorbells_;
    return;
  }
  for (; events_ != up_to; ++events_) {
    const std::uint64_t slot = queue_address_ + (events_ % slots) * command_size;
    Command command{};
    auto answer = AdminStatus::invalid_argument;
    const bool read = memory_.read(slot, command);
    if (read) answer = admin_.execute(command);
    if (answer != AdminStatus::passed) ++refused_commands_;
    std::array<std::uint8_t, 4> status{};
    store_be(status, 0, 4, static_cast<std::uint32_t>(answer));
    if (!read || !memory_.write(slot + command::status.at, status)) return;
  }
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
