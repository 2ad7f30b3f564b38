#include "traffic/dma/check.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/document.hpp"
#include "traffic/atomic/kind.hpp"

namespace peerpath::scenario::traffic {

void Kind<Atomic>::check(const Atomic& atomic, TrafficCheck& check) {
  constexpr Bytes most{16};  // PCIe Base Spec 6.15: CAS of 128 bits
  check_dma(atomic, check);
  const Traffic& t = check.traffic();
  const Device* from = check.tree().find(t.from);
  if (from != nullptr && config_of<device::GpuConfig>(from) == nullptr)
    check.add("from", "atomic operations are issued by a gpu; " + what_is(*from));
  for (std::size_t i = 0; i < t.sizes.size(); ++i)
    if (t.sizes[i] > most)
      check.add(join("sizes", i), to_text(t.sizes[i]) + " is more than the largest atomic operand, " + to_text(most));
}

}  // namespace peerpath::scenario::traffic
