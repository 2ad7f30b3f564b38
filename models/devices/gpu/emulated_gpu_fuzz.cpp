// A guest that does anything to the emulated GPU: registers, doorbells, ring memory, control commands.
#include <algorithm>

#include "devices/gpu/emulated_gpu.hpp"
#include "devices/gpu/test_dma.hpp"
#include "peerpath/base/byte_order.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace peerpath::gpu;
  std::vector<std::uint8_t> vram(1 << 16);
  ArrayDma memory{1 << 16};
  EmulatedGpu gpu{vram, 1, memory};
  memory.attach(gpu);
  std::array<std::uint8_t, Blobs::max_reply> reply;
  std::span<const std::uint8_t> in{data, size};
  const auto take = [&](std::size_t n) {
    const auto part = in.first(std::min(n, in.size()));
    in = in.subspan(part.size());
    return part;
  };
  while (in.size() >= 8) {
    const auto head = take(4);
    const std::uint64_t where = peerpath::load_le(head, 2, 2);
    switch (head[0] % 6) {
      case 0:
        gpu.blobs().execute(take(head[1] % 72u), reply);
        break;
      case 1:
        std::ranges::copy(take(head[1] % 64u), memory.bytes.begin() + static_cast<std::ptrdiff_t>(where % 0xff00));
        break;
      case 2: {
        const auto value = take(8);
        gpu.write(where % 0x1100, (head[1] & 1) != 0 ? 4 : 8, peerpath::load_le(value, 0, value.size()));
        break;
      }
      case 3:
        gpu.write(page::doorbell + where % 4 * 4, 4, head[1]);
        break;
      case 4:
        memory.run(head[1] % 8);
        break;
      case 5:
        gpu.read(where % 0x1100, (head[1] & 1) != 0 ? 4 : 8);
        break;
    }
  }
  memory.run(10'000);
  return 0;
}
