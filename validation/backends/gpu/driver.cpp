#include "validation/backends/gpu/driver.hpp"

#include <dlfcn.h>

#include <span>

namespace peerpath::gpu_backend {
namespace {

/// One function: its names in the two libraries (null: not in that one), and how its address gets into the table.
struct Symbol {
  const char* cuda;
  const char* hip;
  void (*bind)(Driver& driver, void* address);
  bool newer = false;  ///< libraries that lack it are taken as well
};

template <auto member>
void bind(Driver& driver, void* address) {
  using Function = std::remove_reference_t<decltype(driver.*member)>;
  driver.*member = reinterpret_cast<Function>(address);
}

constexpr std::array symbols{
    Symbol{"cuInit", "hipInit", bind<&Driver::init>},
    Symbol{"cuDriverGetVersion", "hipDriverGetVersion", bind<&Driver::driver_version>},
    Symbol{"cuDeviceGetCount", "hipGetDeviceCount", bind<&Driver::device_count>},
    Symbol{"cuDeviceGet", "hipDeviceGet", bind<&Driver::device_get>},
    Symbol{"cuDeviceGetName", "hipDeviceGetName", bind<&Driver::device_name>},
    Symbol{"cuDeviceTotalMem_v2", "hipDeviceTotalMem", bind<&Driver::device_memory>},
    Symbol{"cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId", bind<&Driver::device_bus_id>},
    Symbol{"cuDeviceGetAttribute", "hipDeviceGetAttribute", bind<&Driver::device_attribute>},
    Symbol{"cuDeviceCanAccessPeer", "hipDeviceCanAccessPeer", bind<&Driver::peer_possible>},
    Symbol{"cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain", bind<&Driver::context_retain>},
    Symbol{"cuDevicePrimaryCtxRelease_v2", "hipDevicePrimaryCtxRelease", bind<&Driver::context_release>},
    Symbol{"cuCtxSetCurrent", "hipCtxSetCurrent", bind<&Driver::context_use>},
    Symbol{"cuCtxEnablePeerAccess", "hipCtxEnablePeerAccess", bind<&Driver::context_enable_peer>},
    Symbol{"cuMemAlloc_v2", "hipMalloc", bind<&Driver::memory_allocate>},
    Symbol{"cuMemFree_v2", "hipFree", bind<&Driver::memory_free>},
    Symbol{"cuMemHostAlloc", "hipHostMalloc", bind<&Driver::host_allocate>},
    Symbol{"cuMemFreeHost", "hipHostFree", bind<&Driver::host_free>},
    Symbol{"cuMemHostRegister_v2", "hipHostRegister", bind<&Driver::host_register>, true},
    Symbol{"cuMemHostUnregister", "hipHostUnregister", bind<&Driver::host_unregister>, true},
    Symbol{"cuMemHostGetDevicePointer_v2", "hipHostGetDevicePointer", bind<&Driver::host_address>},
    Symbol{"cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync", bind<&Driver::copy_to_device>},
    Symbol{"cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync", bind<&Driver::copy_from_device>},
    Symbol{"cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync", bind<&Driver::copy_on_device>},
    Symbol{"cuMemsetD8Async", "hipMemsetD8Async", bind<&Driver::fill>},
    Symbol{"cuStreamCreate", "hipStreamCreateWithFlags", bind<&Driver::stream_create>},
    Symbol{"cuStreamDestroy_v2", "hipStreamDestroy", bind<&Driver::stream_destroy>},
    Symbol{"cuStreamSynchronize", "hipStreamSynchronize", bind<&Driver::stream_wait>},
    Symbol{"cuStreamQuery", "hipStreamQuery", bind<&Driver::stream_query>, true},
    Symbol{"cuStreamWaitEvent", "hipStreamWaitEvent", bind<&Driver::stream_wait_event>},
    Symbol{"cuStreamWriteValue32_v2", "hipStreamWriteValue32", bind<&Driver::stream_write_value>, true},
    Symbol{"cuEventCreate", "hipEventCreateWithFlags", bind<&Driver::event_create>},
    Symbol{"cuEventDestroy_v2", "hipEventDestroy", bind<&Driver::event_destroy>},
    Symbol{"cuEventRecord", "hipEventRecord", bind<&Driver::event_record>},
    Symbol{"cuEventSynchronize", "hipEventSynchronize", bind<&Driver::event_wait>},
    Symbol{"cuEventElapsedTime", "hipEventElapsedTime", bind<&Driver::event_elapsed>},
    Symbol{"cuModuleLoadData", "hipModuleLoadData", bind<&Driver::module_load>},
    Symbol{"cuModuleUnload", "hipModuleUnload", bind<&Driver::module_unload>},
    Symbol{"cuModuleGetFunction", "hipModuleGetFunction", bind<&Driver::module_function>},
    Symbol{"cuLaunchKernel", "hipModuleLaunchKernel", bind<&Driver::launch>},
    Symbol{"cuLaunchCooperativeKernel", "hipModuleLaunchCooperativeKernel", bind<&Driver::launch_cooperative>, true},
    // CUDA 11.7 and ROCm 7 have it. HSA's is in a library that libamdhip64 needs, where dlsym looks as well.
    Symbol{"cuMemGetHandleForAddressRange", "hipMemGetHandleForAddressRange", bind<&Driver::memory_export>, true},
    Symbol{nullptr, "hsa_amd_portable_export_dmabuf", bind<&Driver::memory_export_hsa>, true},
};
static_assert(sizeof(Driver) == symbols.size() * sizeof(void*), "every function has a symbol");

constexpr std::array cuda_libraries{"libcuda.so.1", "libcuda.so"};
constexpr std::array hip_libraries{"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};

void* open_first(std::span<const char* const> names, std::string& missing) {
  for (const auto* name : names) {
    if (auto* opened = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return opened;
    const char* why = dlerror();
    if (missing.empty()) missing = why ? why : name;
  }
  return nullptr;
}

}  // namespace

LoadedDriver load_driver(Vendor vendor, const std::string& library) {
  LoadedDriver loaded;
  const std::array given{library.c_str()};
  const auto names = !library.empty()         ? std::span<const char* const>{given}
                     : vendor == Vendor::cuda ? std::span<const char* const>{cuda_libraries}
                                              : std::span<const char* const>{hip_libraries};
  auto* opened = open_first(names, loaded.missing);
  if (!opened) return loaded;
  Driver driver;
  for (const auto& symbol : symbols) {
    const auto* name = vendor == Vendor::cuda ? symbol.cuda : symbol.hip;
    auto* address = name ? dlsym(opened, name) : nullptr;
    if (!address && symbol.newer) continue;
    if (!address) {
      loaded.missing = std::string{"the driver library has no "} + name;
      return loaded;
    }
    symbol.bind(driver, address);
  }
  loaded.driver = driver;
  loaded.missing.clear();
  Dl_info place{};
  if (dladdr(reinterpret_cast<void*>(driver.init), &place) != 0 && place.dli_fname) loaded.file = place.dli_fname;
  return loaded;
}

std::string_view name_of(Vendor vendor) { return vendor == Vendor::cuda ? "cuda" : "hip"; }

std::string_view library_of(Vendor vendor) {
  return vendor == Vendor::cuda ? cuda_libraries.front() : hip_libraries.front();
}

std::optional<Vendor> vendor_named(std::string_view name) {
  for (const auto vendor : {Vendor::cuda, Vendor::hip})
    if (name_of(vendor) == name) return vendor;
  return std::nullopt;
}

int multiprocessors_attribute(Vendor vendor) {
  return vendor == Vendor::cuda ? 16   // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
                                : 63;  // hipDeviceAttributeMultiprocessorCount
}

}  // namespace peerpath::gpu_backend
