#include "transport/traffic/arrival_process.hpp"

namespace peerpath::transport {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

void ArrivalProcess::send(Bytes bytes) {
  const std::int64_t rate = config_.rate.bps();
  if (bytes != step_bytes_) {
    const auto bits_fs = static_cast<WideInt>(bytes.count()) * 8 * 1'000'000'000'000'000;
    step_bytes_ = bytes;
    step_ = {narrow(bits_fs / rate), narrow(bits_fs % rate)};
  }
  sent_.whole += step_.whole;
  sent_.rest += step_.rest;
  if (sent_.rest < rate) return;
  sent_.rest -= rate;
  ++sent_.whole;
}

Instant ArrivalProcess::next(Bytes bytes) {
  const Instant mean = nominal();
  send(bytes);
  switch (config_.law) {
    case Arrival::regular:
      return mean;
    case Arrival::jittered: {
      const Duration interval = nominal() - mean;
      return mean +
             Duration{static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(interval.count()) + 1))};
    }
    case Arrival::poisson: {
      const auto interval = static_cast<std::uint64_t>((bytes / config_.rate).count());
      const Wide distance = static_cast<Wide>(interval) * exponential_q32(random_.next()) >> 32;
      drawn_ += Duration{narrow(static_cast<WideInt>(distance))};
      return config_.start + drawn_;
    }
    case Arrival::burst:
      if (in_burst_ == 0) burst_start_ = mean;
      in_burst_ = (in_burst_ + 1) % config_.burst;
      return burst_start_;
  }
  return mean;
}

}  // namespace peerpath::transport
