// The GPU driver library, CUDA's or HIP's, as a table of functions: loaded at run time, declared here, so that the
// host part builds where neither is installed. HIP's driver interface mirrors CUDA's, function for function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace peerpath::gpu_backend {

using Status = int;                   ///< CUresult or hipError_t: 0 is success
using DevicePointer = std::uint64_t;  ///< CUdeviceptr; hipDeviceptr_t is a pointer of the same size
using Handle = void*;                 ///< a context, stream, event, module or function

enum class Vendor : std::uint8_t { cuda, hip };

/// Functions by what they do; cuda.h and hip_runtime_api.h have them under the names in driver.cpp.
struct Driver {
  Status (*init)(unsigned flags) = nullptr;
  Status (*driver_version)(int* version) = nullptr;
  Status (*device_count)(int* count) = nullptr;
  Status (*device_get)(int* device, int ordinal) = nullptr;
  Status (*device_name)(char* name, int length, int device) = nullptr;
  Status (*device_memory)(std::size_t* bytes, int device) = nullptr;
  Status (*device_bus_id)(char* text, int length, int device) = nullptr;
  Status (*device_attribute)(int* value, int attribute, int device) = nullptr;
  Status (*peer_possible)(int* possible, int device, int peer) = nullptr;
  Status (*context_retain)(Handle* context, int device) = nullptr;
  Status (*context_release)(int device) = nullptr;
  Status (*context_use)(Handle context) = nullptr;
  Status (*context_enable_peer)(Handle peer, unsigned flags) = nullptr;
  Status (*memory_allocate)(DevicePointer* memory, std::size_t bytes) = nullptr;
  Status (*memory_free)(DevicePointer memory) = nullptr;
  Status (*host_allocate)(void** memory, std::size_t bytes, unsigned flags) = nullptr;
  Status (*host_free)(void* memory) = nullptr;
  /// Makes memory of the process such that no page fault moves; null where a library has it not.
  Status (*host_register)(void* memory, std::size_t bytes, unsigned flags) = nullptr;
  Status (*host_unregister)(void* memory) = nullptr;
  Status (*host_address)(DevicePointer* device, void* host, unsigned flags) = nullptr;
  Status (*copy_to_device)(DevicePointer to, const void* from, std::size_t bytes, Handle stream) = nullptr;
  Status (*copy_from_device)(void* to, DevicePointer from, std::size_t bytes, Handle stream) = nullptr;
  Status (*copy_on_device)(DevicePointer to, DevicePointer from, std::size_t bytes, Handle stream) = nullptr;
  Status (*fill)(DevicePointer to, unsigned char value, std::size_t bytes, Handle stream) = nullptr;
  Status (*stream_create)(Handle* stream, unsigned flags) = nullptr;
  Status (*stream_destroy)(Handle stream) = nullptr;
  Status (*stream_wait)(Handle stream) = nullptr;
  Status (*stream_query)(Handle stream) = nullptr;  ///< 0 once all is done, status_not_ready before
  Status (*stream_wait_event)(Handle stream, Handle event, unsigned flags) = nullptr;
  /// Null in HIP for NVIDIA GPUs, whose headers lack it.
  Status (*stream_write_value)(Handle stream, DevicePointer to, std::uint32_t value, unsigned flags) = nullptr;
  Status (*event_create)(Handle* event, unsigned flags) = nullptr;
  Status (*event_destroy)(Handle event) = nullptr;
  Status (*event_record)(Handle event, Handle stream) = nullptr;
  Status (*event_wait)(Handle event) = nullptr;
  Status (*event_elapsed)(float* milliseconds, Handle start, Handle end) = nullptr;
  Status (*module_load)(Handle* module, const void* image) = nullptr;
  Status (*module_unload)(Handle module) = nullptr;
  Status (*module_function)(Handle* function, Handle module, const char* name) = nullptr;
  Status (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, Handle stream, void** arguments,
                   void** extra) = nullptr;
  /// Only if all blocks fit on the GPU at once.
  Status (*launch_cooperative)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z, unsigned shared_bytes, Handle stream,
                               void** arguments) = nullptr;
  /// `handle` points to an int, the file descriptor; `type` is range_dmabuf. Null where the library is older.
  Status (*memory_export)(void* handle, DevicePointer memory, std::size_t bytes, int type,
                          unsigned long long flags) = nullptr;
  /// HIP's runtime below, for a library of HIP that has not the one above. Null where that is older as well.
  Status (*memory_export_hsa)(const void* memory, std::size_t bytes, int* file, std::uint64_t* offset) = nullptr;
};

/// Flags that have the same value in both interfaces.
inline constexpr unsigned host_mapped_portable = 3;  // CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP, and
                                                     // CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP
inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_default = 0, event_blocking = 1;
inline constexpr int range_dmabuf = 1;             // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD
inline constexpr Status status_not_ready = 600;    // CUDA_ERROR_NOT_READY, hipErrorNotReady
inline constexpr Status status_unsupported = 801;  // CUDA_ERROR_NOT_SUPPORTED, hipErrorNotSupported

/// The driver, or why there is none: which library or function is missing.
struct LoadedDriver {
  std::optional<Driver> driver;
  std::string missing;
  std::string file{};  ///< of the library
};

/// Loads the vendor's library, or `library` in its place if that is not empty. Loaded for good.
LoadedDriver load_driver(Vendor vendor, const std::string& library = "");

/// "cuda" or "hip".
std::string_view name_of(Vendor vendor);
std::optional<Vendor> vendor_named(std::string_view name);

/// "libcuda.so.1": the library that is loaded first.
std::string_view library_of(Vendor vendor);

/// Number of the attribute that says how many multiprocessors a device has.
int multiprocessors_attribute(Vendor vendor);

}  // namespace peerpath::gpu_backend
