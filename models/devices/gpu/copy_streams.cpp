#include "devices/gpu/copy_streams.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::gpu {
namespace {

constexpr Bytes engine_piece{4096};  // of one transaction; cut into requests by the fabric
constexpr Bytes message{64};         // from GPU to GPU

using Way = CopyWork::Way;
using Stage = CopyWork::Stage;

device::CopiesConfig copies_of(const device::GpuConfig& config) {
  if (config.copies) return *config.copies;
  device::CopiesConfig copies;
  copies.request = config.function.max_read_request;
  copies.in_flight = Bytes{64 << 10};
  copies.setup_to = copies.setup_from = copies.setup_to_busy = copies.setup_from_busy = config.copy_setup;
  copies.submit_inline = copies.submit_to = copies.submit_from = config.copy_setup;
  return copies;
}

}  // namespace

CopyStreams::CopyStreams(const device::GpuConfig& config)
    : copies_{copies_of(config)}, kernels_{config.kernels.value_or(device::KernelsConfig{})} {}

std::size_t CopyStreams::add(CopyWork work) {
  require(!work.sizes.empty(), "a stream of copies is empty");
  streams_.push_back({std::move(work)});
  return streams_.size() - 1;
}

void CopyStreams::start(device::Outbox& out) {
  for (std::size_t n = 0; n < streams_.size(); ++n) begin_copy(n, Instant{}, out);
}

/// Of a staged copy: between its pieces.
Duration CopyStreams::hand_over(const Stream& self) const {
  return self.work.way == Way::to_gpu ? copies_.hand_over_to : copies_.hand_over_from;
}

/// Before the first request of a piece.
Duration CopyStreams::setup(const Stream& self) const {
  const auto& work = self.work;
  const bool to = work.way == Way::to_gpu;
  if (work.way == Way::to_peer) return copies_.peer_setup;
  if (work.by_kernel) return to ? kernels_.launch_to : kernels_.launch_from;
  if (work.stage != Stage::none) return hand_over(self);
  if (work.single)
    return !to ? copies_.submit_from : self.size <= copies_.inline_limit ? copies_.submit_inline : copies_.submit_to;
  const bool other_way = std::ranges::any_of(streams_, [&](const Stream& other) {
    return other.busy && !other.work.by_kernel && other.work.way == (to ? Way::from_gpu : Way::to_gpu);
  });
  if (other_way) return to ? copies_.setup_to_busy : copies_.setup_from_busy;
  return to ? copies_.setup_to : copies_.setup_from;
}

void CopyStreams::begin_copy(std::size_t stream, Instant now, device::Outbox& out) {
  auto& self = streams_[stream];
  self.left = self.work.sizes[self.number++ % self.work.sizes.size()];
  self.begin = std::max(now, self.offered);
  if (self.work.rate > BitRate{}) self.offered += self.left / self.work.rate;
  if (self.work.stage != Stage::second) begin_piece(stream, self.begin, out);
}

void CopyStreams::begin_piece(std::size_t stream, Instant now, device::Outbox& out) {
  auto& self = streams_[stream];
  self.size = self.work.stage == Stage::none ? self.left : std::min(self.left, self.work.chunk);
  self.left -= self.size;
  self.issued = self.moved = Bytes{0};
  // The message that a chunk is there took hand_over_to already.
  auto start = self.work.stage == Stage::second ? std::max(now, self.ready) : now + setup(self);
  self.busy = true;
  self.next_write = start;
  if (self.work.way == Way::to_peer) start += self.size / copies_.peer_rate;
  out.wake_at(device::TimerId{static_cast<std::uint16_t>(stream)}, start);
}

void CopyStreams::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  const std::size_t stream = timer.value();
  if (streams_[stream].work.way == Way::to_peer) return end_piece(stream, now, out);
  fill(stream, now, out);
}

void CopyStreams::fill(std::size_t stream, Instant now, device::Outbox& out) {
  auto& self = streams_[stream];
  const auto& work = self.work;
  const bool reads = work.way == Way::to_gpu;
  const auto piece = work.by_kernel ? kernels_.copy_request : engine_piece;
  const auto by_engine = !queued_ ? copies_.in_flight : reads ? copies_.queued_reads : copies_.queued_writes;
  const auto most = (work.by_kernel ? kernels_.copy_in_flight : by_engine) / piece;
  while (self.issued < self.size && self.in_flight < most) {
    const auto size = std::min(piece, self.size - self.issued);
    auto ready = now;
    if (!reads && !work.by_kernel && !queued_ && copies_.write_rate > BitRate{}) {
      ready = std::max(now, self.next_write);
      self.next_write = ready + size / copies_.write_rate;
    }
    out.submit(fabric::ChannelIndex{static_cast<std::uint16_t>(stream + 1)},
               {.cookie = stream,
                .target = work.host.node,
                .op = reads ? pcie::Operation::memory_read : pcie::Operation::memory_write,
                .purpose = pcie::Purpose::payload,
                .notify_requester = true,
                .address = (work.host.address + self.issued).value(),
                .bytes = size,
                .ready = ready});
    self.issued += size;
    ++self.in_flight;
  }
}

void CopyStreams::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto stream = static_cast<std::size_t>(delivery.cookie);
  require(stream < streams_.size(), "a completion of an unknown request arrived at the copy engine");
  auto& self = streams_[stream];
  --self.in_flight;
  self.moved += delivery.bytes;
  if (self.moved < self.size) return fill(stream, delivery.done, out);
  const bool in_register = self.work.by_kernel && self.work.way == Way::to_gpu;
  end_piece(stream, delivery.done + (in_register ? kernels_.read_latency : Duration{0}), out);
}

void CopyStreams::end_piece(std::size_t stream, Instant now, device::Outbox& out) {
  auto& self = streams_[stream];
  self.busy = false;
  self.ready = now + hand_over(self);
  const bool last = self.left == Bytes{0};
  const auto whole = self.work.sizes[(self.number - 1) % self.work.sizes.size()];
  if (self.work.stage == Stage::none || (self.work.stage == Stage::second && last)) {
    if (self.work.done) self.work.done(self.begin, now, whole);
  }
  if (self.work.stage == Stage::none) return begin_copy(stream, now, out);
  const device::Frame note{.handle = static_cast<std::uint64_t>(femtoseconds(self.begin)), .size = message};
  if (self.work.stage == Stage::first) {
    out.transmit(self.work.port, note, now);
    if (!last) begin_piece(stream, now, out);
    return;
  }
  if (last) {
    out.transmit(self.work.port, note, now);
    begin_copy(stream, now, out);
  }
  if (self.landed == 0) return;
  --self.landed;
  begin_piece(stream, now, out);
}

void CopyStreams::on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) {
  const auto found = std::ranges::find_if(
      streams_, [port](const Stream& s) { return s.work.stage != Stage::none && s.work.port == port; });
  require(found != streams_.end(), "a message refers to no staged copy");
  const auto stream = static_cast<std::size_t>(found - streams_.begin());
  if (found->work.stage == Stage::first) return begin_copy(stream, now, out);
  const auto whole = found->work.sizes[(found->number - 1) % found->work.sizes.size()];
  if (found->left == whole && !found->busy) found->begin = Instant{Duration{static_cast<std::int64_t>(frame.handle)}};
  if (found->busy) return static_cast<void>(++found->landed);
  begin_piece(stream, now, out);
}

}  // namespace peerpath::gpu
