#include "machine/nic_plug.hpp"

#include <algorithm>
#include <utility>

#include "devices/nic/context.hpp"
#include "peerpath/base/byte_order.hpp"

namespace peerpath::machine {
namespace {

constexpr device::TimerId work_timer{0}, flush_timer{1}, send_timer{2};

/// The model's times; sizes are those that a driver is offered.
device::NicConfig timed(const nic::gve::Offer& offer, device::NicConfig config) {
  const auto offered = nic::gve::Nic::functional(offer);
  config.queues = offered.queues;
  config.ring_entries = offered.ring_entries;
  config.buffer_size = offered.buffer_size;
  config.header_buffer_size = offered.header_buffer_size;
  config.mtu = offered.mtu;
  config.coalesce = Bytes{0};  // the emulated NIC merges segments itself
  return config;
}

}  // namespace

NicPlug::NicPlug(Board& board, DeviceNumber number, const std::string& name, const NicOptions& options,
                 const device::NicConfig& config)
    : Plug{board, number, name}, options_{options}, nic_{options.offer, timed(options.offer, config), *this} {}

void NicPlug::set_time(Instant now) {
  now_ = std::max(now_, now);
  nic_.set_time(now);
}

bool NicPlug::load(int bar, std::uint64_t offset, std::span<std::uint8_t> into) {
  const auto size = into.size();
  std::ranges::fill(into, std::uint8_t{0});
  if (bar == registers_bar && size <= 4)
    store_be(into, 0, size, nic_.registers().read(offset, static_cast<unsigned>(size)));
  return true;
}

bool NicPlug::store(int bar, std::uint64_t offset, std::span<const std::uint8_t> from) {
  while (!from.empty()) {  // registers are 32 bits wide
    const auto size = std::min<std::size_t>(from.size(), 4 - offset % 4);
    if (bar == registers_bar && size != 3)
      nic_.registers().write(offset, static_cast<unsigned>(size), static_cast<std::uint32_t>(load_be(from, 0, size)));
    if (bar == doorbells_bar && size == 4)
      nic_.registers().doorbell(offset, static_cast<std::uint32_t>(load_le(from, 0, size)));
    offset += size;
    from = from.subspan(size);
  }
  return true;
}

void NicPlug::reset(Instant now) {
  set_time(now);
  leaving_.clear();
  nic_.reset();
}

void NicPlug::receive(std::span<const std::uint8_t> frame, Instant now) {
  set_time(now);
  nic_.receive(frame);
}

void NicPlug::set_link(bool up, Instant now) {
  set_time(now);
  nic_.set_link(up);
}

void NicPlug::on_wake(device::TimerId timer, Instant now, device::Outbox&) {
  board_.mover().run(now);
  set_time(now);
  if (timer == work_timer) return nic_.on_wake(now);
  if (timer == send_timer) return send_due();
  held_since_ = never;
  while (nic_.flush()) {}
}

void NicPlug::on_frame(int, const device::Frame& frame, Instant now, device::Outbox&) {
  board_.mover().run(now);
  receive(board_.take_frame(frame.handle), now);
}

void NicPlug::wake_at(Instant when) { out_->wake_at(work_timer, when); }

void NicPlug::flush_soon() {
  held_since_ = std::min(held_since_, now_);
  out_->wake_at(flush_timer, std::min(now_ + options_.coalesce_idle, held_since_ + options_.coalesce_limit));
}

void NicPlug::interrupt(std::uint32_t vector) { send_message(nic::interrupt_channel, vector, now_); }

void NicPlug::transmit(std::span<const std::uint8_t> bytes, Instant when) {
  if (!cabled_) {
    leaving_.push_back({when, {bytes.begin(), bytes.end()}});
    return out_->wake_at(send_timer, leaving_.front().when);
  }
  device::Frame frame;
  frame.size = Bytes{static_cast<std::int64_t>(bytes.size())};
  frame.header_size = static_cast<std::uint16_t>(std::min<std::size_t>(bytes.size(), device::Frame::header_capacity));
  std::copy_n(bytes.begin(), frame.header_size, frame.header);
  frame.handle = board_.keep_frame(bytes);
  out_->transmit(0, frame, when);
}

void NicPlug::send_due() {
  while (!leaving_.empty() && leaving_.front().when <= now_) {
    const auto frame = std::move(leaving_.front().frame);
    leaving_.pop_front();
    board_.guest().transmit(number(), frame);
  }
  if (!leaving_.empty()) out_->wake_at(send_timer, leaving_.front().when);
}

}  // namespace peerpath::machine
