// HIP's functions for NVIDIA GPUs as a library. HIP's headers make each of them an inline call of CUDA, so there is no
// library that driver.cpp could load; this one has them under their own names (build-hip-on-nvidia takes the prefix
// off). It shows that the backend's HIP part calls HIP as its headers declare it, without an AMD GPU.
#include <hip/hip_runtime_api.h>

#include <cstddef>

extern "C" {

hipError_t exported_hipInit(unsigned flags) { return hipInit(flags); }
hipError_t exported_hipDriverGetVersion(int* version) { return hipDriverGetVersion(version); }
hipError_t exported_hipGetDeviceCount(int* count) { return hipGetDeviceCount(count); }
hipError_t exported_hipDeviceGet(hipDevice_t* device, int ordinal) { return hipDeviceGet(device, ordinal); }
hipError_t exported_hipDeviceGetName(char* name, int length, hipDevice_t device) {
  return hipDeviceGetName(name, length, device);
}
hipError_t exported_hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
  return hipDeviceTotalMem(bytes, device);
}
hipError_t exported_hipDeviceGetPCIBusId(char* text, int length, hipDevice_t device) {
  return hipDeviceGetPCIBusId(text, length, device);
}
hipError_t exported_hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  return hipDeviceGetAttribute(value, attribute, device);
}
hipError_t exported_hipDeviceCanAccessPeer(int* possible, int device, int peer) {
  return hipDeviceCanAccessPeer(possible, device, peer);
}
hipError_t exported_hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t device) {
  return hipDevicePrimaryCtxRetain(context, device);
}
hipError_t exported_hipDevicePrimaryCtxRelease(hipDevice_t device) { return hipDevicePrimaryCtxRelease(device); }
hipError_t exported_hipCtxSetCurrent(hipCtx_t context) { return hipCtxSetCurrent(context); }
hipError_t exported_hipCtxEnablePeerAccess(hipCtx_t peer, unsigned flags) {
  return hipCtxEnablePeerAccess(peer, flags);
}
hipError_t exported_hipMalloc(void** memory, std::size_t bytes) { return hipMalloc(memory, bytes); }
hipError_t exported_hipFree(void* memory) { return hipFree(memory); }
hipError_t exported_hipHostMalloc(void** memory, std::size_t bytes, unsigned flags) {
  return hipHostMalloc(memory, bytes, flags);
}
hipError_t exported_hipHostFree(void* memory) { return hipHostFree(memory); }
hipError_t exported_hipHostRegister(void* memory, std::size_t bytes, unsigned flags) {
  return hipHostRegister(memory, bytes, flags);
}
hipError_t exported_hipHostUnregister(void* memory) { return hipHostUnregister(memory); }
hipError_t exported_hipHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return hipHostGetDevicePointer(device, host, flags);
}
hipError_t exported_hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, std::size_t bytes, hipStream_t stream) {
  return hipMemcpyHtoDAsync(to, from, bytes, stream);
}
hipError_t exported_hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, std::size_t bytes, hipStream_t stream) {
  return hipMemcpyDtoHAsync(to, from, bytes, stream);
}
hipError_t exported_hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes, hipStream_t stream) {
  return hipMemcpyDtoDAsync(to, from, bytes, stream);
}
hipError_t exported_hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, std::size_t bytes, hipStream_t stream) {
  return hipMemsetD8Async(to, value, bytes, stream);
}
hipError_t exported_hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return hipStreamCreateWithFlags(stream, flags);
}
hipError_t exported_hipStreamDestroy(hipStream_t stream) { return hipStreamDestroy(stream); }
hipError_t exported_hipStreamSynchronize(hipStream_t stream) { return hipStreamSynchronize(stream); }
hipError_t exported_hipStreamQuery(hipStream_t stream) { return hipStreamQuery(stream); }
hipError_t exported_hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return hipStreamWaitEvent(stream, event, flags);
}
hipError_t exported_hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return hipEventCreateWithFlags(event, flags);
}
hipError_t exported_hipEventDestroy(hipEvent_t event) { return hipEventDestroy(event); }
hipError_t exported_hipEventRecord(hipEvent_t event, hipStream_t stream) { return hipEventRecord(event, stream); }
hipError_t exported_hipEventSynchronize(hipEvent_t event) { return hipEventSynchronize(event); }
hipError_t exported_hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t end) {
  return hipEventElapsedTime(milliseconds, start, end);
}
hipError_t exported_hipModuleLoadData(hipModule_t* module, const void* image) {
  return hipModuleLoadData(module, image);
}
hipError_t exported_hipModuleUnload(hipModule_t module) { return hipModuleUnload(module); }
hipError_t exported_hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  return hipModuleGetFunction(function, module, name);
}
hipError_t exported_hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                          hipStream_t stream, void** arguments, void** extra) {
  return hipModuleLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
                               arguments, extra);
}

}  // extern "C"
