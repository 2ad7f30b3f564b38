#include "devices/gpu/kind.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/check/device_check.hpp"

namespace peerpath::device {

void Kind<GpuConfig>::check(const GpuConfig& gpu, scenario::DeviceCheck& check) {
  using scenario::to_text;
  check.units("copy_engines", gpu.copy_engines);
  if (gpu.peer_reads) check.units("peer_reads", *gpu.peer_reads);
  check.bar("bar_size", gpu.bar_size, gpu.bar_address);
  if (gpu.copies) check.power_of_two("copies/request", gpu.copies->request.count(), to_text(gpu.copies->request));
  if (gpu.kernels)
    check.power_of_two("kernels/copy_request", gpu.kernels->copy_request.count(), to_text(gpu.kernels->copy_request));
  const auto& bar1 = gpu.bar1;
  check.power_of_two("bar1/page", bar1.page.count(), to_text(bar1.page));
  if (bar1.reserved > gpu.bar_size)
    check.add("bar1/reserved",
              to_text(bar1.reserved) + " is more than the size of the window, " + to_text(gpu.bar_size));
  if (bar1.piece < bar1.page || bar1.piece.count() % bar1.page.count() != 0)
    check.add("bar1/piece", to_text(bar1.piece) + " is not a multiple of the page, " + to_text(bar1.page));
  else if (bar1.when_full == Bar1Full::remap && bar1.piece > gpu.bar_size - bar1.reserved)
    check.add("bar1/piece", to_text(bar1.piece) + " is more than the unreserved part of the window, " +
                                to_text(gpu.bar_size - bar1.reserved));
}

}  // namespace peerpath::device
