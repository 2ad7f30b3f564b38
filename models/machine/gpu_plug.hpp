// The emulated GPU at the fabric of a machine.
#pragma once

#include "devices/gpu/emulated_gpu.hpp"
#include "machine/plug.hpp"

namespace peerpath::machine {

/// Registers and doorbells in one BAR, VRAM in another.
struct GpuOptions {
  std::span<std::uint8_t> vram{};
  int registers_bar = 0, vram_bar = 1;
};

class GpuPlug final : public Plug, private device::Bus {
 public:
  /// `channels`: queues that its copy engines share.
  GpuPlug(Board& board, DeviceNumber number, const std::string& name, const GpuOptions& options, int channels)
      : Plug{board, number, name},
        options_{options},
        channels_{channels},
        gpu_{options.vram, static_cast<std::uint32_t>(options.vram_bar), *this} {}

  bool is_memory(int bar) const override { return bar == options_.vram_bar; }
  bool load(int bar, std::uint64_t offset, std::span<std::uint8_t> into) override;
  bool store(int bar, std::uint64_t offset, std::span<const std::uint8_t> from) override;
  void reset(Instant now) override;
  void on_wake(device::TimerId, Instant, device::Outbox&) override {}

  gpu::EmulatedGpu& gpu() { return gpu_; }

 private:
  void delivered(const fabric::Delivery& d, std::span<const std::uint8_t> data) override { gpu_.on_delivery(d, data); }
  void set_time(Instant now) override { gpu_.set_time(now); }
  void submit(fabric::ChannelIndex channel, const fabric::Transaction& t, const device::Content& content) override;
  bool in_vram(std::uint64_t offset, std::size_t size) const {
    return offset <= options_.vram.size() && size <= options_.vram.size() - offset;
  }

  const GpuOptions options_;
  int channels_;
  gpu::EmulatedGpu gpu_;
};

}  // namespace peerpath::machine
