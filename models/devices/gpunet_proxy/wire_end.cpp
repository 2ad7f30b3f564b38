#include "devices/gpunet_proxy/wire_end.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::proxy {
namespace {

constexpr fabric::ChannelIndex wire_channel{1};
constexpr Bytes chunk{4096}, most_in_flight{131072};
constexpr Bytes headers{66};  // Ethernet, IPv4, UDP, BTH, RETH or so, ICRC
constexpr Bytes completion_bytes{64};

/// What a frame carries, in its handle.
struct Cargo {
  std::size_t lane = 0;
  Bytes size{};
  bool last = false, acknowledges = false;

  std::uint64_t pack() const {
    return static_cast<std::uint64_t>(lane) << 40 | static_cast<std::uint64_t>(size.count()) << 2 | (last ? 2u : 0u) |
           (acknowledges ? 1u : 0u);
  }
  static Cargo unpack(std::uint64_t handle) {
    return {static_cast<std::size_t>(handle >> 40), Bytes{static_cast<std::int64_t>(handle >> 2 & 0x3f'ffff'ffff)},
            (handle & 2) != 0, (handle & 1) != 0};
  }
};

}  // namespace

void WireEnd::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  if (delivery.kind == fabric::DeliveryKind::arrived) {
    if (delivery.purpose != pcie::Purpose::doorbell) return;
    const auto lane = static_cast<std::size_t>(delivery.cookie);
    require(lane < lanes_.size() && !lanes_[lane]->requests.empty(), "a doorbell refers to no work request");
    const auto size = lanes_[lane]->requests.front();
    lanes_[lane]->requests.pop_front();
    requests_.push_back({lane, size, {}, {}, delivery.done + costs_.request});
    return fetch(delivery.done, out);
  }
  in_flight_ -= delivery.bytes;
  const auto at = std::ranges::find_if(requests_, [](const Request& r) { return r.read < r.size; });
  require(at != requests_.end(), "a completed read belongs to no work request");
  at->read += delivery.bytes;
  const bool last = at->read == at->size;
  const Cargo cargo{at->lane, delivery.bytes, last, false};
  out.transmit(0, {.handle = cargo.pack(), .size = delivery.bytes + headers}, delivery.done);
  if (last) {
    lanes_[at->lane]->flying.push_back(at->size);
    requests_.erase(at);
  }
  fetch(delivery.done, out);
}

void WireEnd::on_wake(device::TimerId, Instant now, device::Outbox& out) { fetch(now, out); }

void WireEnd::fetch(Instant now, device::Outbox& out) {
  for (auto& request : requests_) {
    if (request.issued == request.size) continue;
    if (request.ready > now) return out.wake_at(device::TimerId{0}, request.ready);
    while (request.issued < request.size && in_flight_ < most_in_flight) {
      const auto size = std::min(chunk, request.size - request.issued);
      out.submit(wire_channel, {.cookie = request.lane,
                                .target = places_.memory,
                                .op = pcie::Operation::memory_read,
                                .purpose = pcie::Purpose::payload,
                                .notify_requester = true,
                                .address = places_.payload + static_cast<std::uint64_t>(request.issued.count()),
                                .bytes = size,
                                .ready = now});
      request.issued += size;
      in_flight_ += size;
    }
    if (request.issued < request.size) return;
  }
}

void WireEnd::on_frame(int, const device::Frame& frame, Instant now, device::Outbox& out) {
  const auto cargo = Cargo::unpack(frame.handle);
  if (cargo.acknowledges) return complete(cargo.lane, Word::What::sent, now, out);
  out.submit(wire_channel, {.cookie = cargo.lane,
                            .target = places_.memory,
                            .purpose = pcie::Purpose::payload,
                            .address = places_.payload,
                            .bytes = cargo.size,
                            .ready = now});
  if (!cargo.last) return;
  auto& lane = *lanes_[cargo.lane];
  lane.landing.push_back(lane.flying.front());
  lane.acked.push_back(lane.flying.front());
  lane.flying.pop_front();
  complete(cargo.lane, Word::What::completion, now, out);
  out.transmit(0, {.handle = Cargo{cargo.lane, {}, true, true}.pack(), .size = headers}, now);
}

/// Behind the payload, on the same channel: it does not overtake it.
void WireEnd::complete(std::size_t lane, Word::What what, Instant now, device::Outbox& out) {
  out.submit(wire_channel, {.cookie = Word{what, lane}.pack(),
                            .target = places_.told,
                            .purpose = pcie::Purpose::completion_entry,
                            .notify_target = true,
                            .address = places_.words,
                            .bytes = completion_bytes,
                            .ready = now});
}

}  // namespace peerpath::proxy
