#include "devices/host_memory/kind.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/check/device_check.hpp"

namespace peerpath::device {

void Kind<HostMemoryConfig>::check(const HostMemoryConfig& memory, scenario::DeviceCheck& check) {
  check.low_memory("size", memory.size);
  if (memory.completion_step && memory.completion_step->count() % 64 != 0)
    check.add("completion_step", scenario::to_text(*memory.completion_step) + " is not a multiple of 64 B");
  if (memory.channels) check.units("channels/count", memory.channels->count);
  if (!memory.cache) return;
  const auto& cache = *memory.cache;
  const Bytes step{64 * cache.ways};
  if (cache.size.count() % step.count() != 0)
    check.add("cache/size", scenario::to_text(cache.size) + " is not a multiple of 64 B times " +
                                std::to_string(cache.ways) + " ways; the nearest below is " +
                                scenario::to_text(Bytes{cache.size.count() / step.count() * step.count()}));
  if (cache.ddio_ways > cache.ways)
    check.add("cache/ddio_ways", std::to_string(cache.ddio_ways) + " is more than the " + std::to_string(cache.ways) +
                                     " ways of the cache");
}

}  // namespace peerpath::device
