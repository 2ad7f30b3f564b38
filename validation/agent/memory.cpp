#include "validation/agent/memory.hpp"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "validation/agent/kernel_api.hpp"

namespace peerpath::agent {
namespace {

// DRM_IOWR('d', ...) of include/uapi/drm: command numbers 0x40 + 1, 0x40 + 0x0a, 0x2d
constexpr auto ioctl_virtgpu_map = _IOWR('d', 0x41, kernel::VirtgpuMap);
constexpr auto ioctl_virtgpu_create_blob = _IOWR('d', 0x4a, kernel::VirtgpuCreateBlob);
constexpr auto ioctl_prime_handle_to_fd = _IOWR('d', 0x2d, kernel::PrimeHandle);
constexpr auto ioctl_vram_export = _IOWR('P', 1, kernel::VramExport);

Expected<std::span<unsigned char>> map(std::uint64_t bytes, int file, std::uint64_t offset) {
  const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, static_cast<off_t>(offset));
  if (address == MAP_FAILED) return failure("mmap of the memory");
  return std::span{static_cast<unsigned char*>(address), bytes};
}

Expected<Buffer> from_host(const Memory& memory) {
  return map(memory.bytes, -1, 0).map([](auto bytes) { return Buffer{bytes, FileHandle{}, FileHandle{}}; });
}

Expected<Buffer> from_udmabuf(const Memory& memory) {
  const std::string path = memory.path.empty() ? "/dev/udmabuf" : memory.path;
  const FileHandle device{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
  if (!device) return failure(path);
  FileHandle pages{::memfd_create("peerpath", MFD_ALLOW_SEALING | MFD_CLOEXEC)};
  if (!pages || ::ftruncate(pages.get(), static_cast<off_t>(memory.bytes)) != 0 ||
      ::fcntl(pages.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    return failure("memfd for udmabuf");
  }
  udmabuf_create create{};
  create.memfd = static_cast<unsigned>(pages.get());
  create.flags = UDMABUF_FLAGS_CLOEXEC;
  create.size = memory.bytes;
  FileHandle dmabuf{::ioctl(device.get(), UDMABUF_CREATE, &create)};
  if (!dmabuf) return failure("UDMABUF_CREATE");
  const auto bytes = map(memory.bytes, pages.get(), 0);
  if (!bytes) return tl::unexpected{bytes.error()};
  return Buffer{*bytes, std::move(dmabuf), std::move(pages)};
}

Expected<Buffer> from_virtio_gpu(const Memory& memory) {
  const std::string path = memory.path.empty() ? "/dev/dri/renderD128" : memory.path;
  FileHandle device{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
  if (!device) return failure(path);
  kernel::VirtgpuCreateBlob blob{};
  blob.blob_mem = kernel::virtgpu_blob_mem_host3d;
  blob.blob_flags = kernel::virtgpu_blob_flag_use_mappable | kernel::virtgpu_blob_flag_use_shareable;
  blob.size = memory.bytes;
  blob.blob_id = 1;
  if (::ioctl(device.get(), ioctl_virtgpu_create_blob, &blob) != 0) return failure("VIRTGPU_RESOURCE_CREATE_BLOB");
  kernel::VirtgpuMap place{};
  place.handle = blob.bo_handle;
  // It is the mapping that makes the driver give the blob a place in the BAR, so it comes before the export.
  if (::ioctl(device.get(), ioctl_virtgpu_map, &place) != 0) return failure("VIRTGPU_MAP");
  const auto bytes = map(memory.bytes, device.get(), place.offset);
  if (!bytes) return tl::unexpected{bytes.error()};
  kernel::PrimeHandle prime{};
  prime.handle = blob.bo_handle;
  prime.flags = O_RDWR | O_CLOEXEC;
  if (::ioctl(device.get(), ioctl_prime_handle_to_fd, &prime) != 0) {
    const int error = errno;
    ::munmap(bytes->data(), bytes->size());
    return failure("PRIME_HANDLE_TO_FD", error);
  }
  return Buffer{*bytes, FileHandle{prime.fd}, std::move(device)};
}

Expected<Buffer> from_p2pdma(const Memory& memory) {
  const std::string path = memory.path.empty() ? "/dev/peerpath_vram0" : memory.path;
  FileHandle device{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
  if (!device) return failure(path);
  kernel::VramExport request{};
  request.length = memory.bytes;
  if (::ioctl(device.get(), ioctl_vram_export, &request) != 0) return failure("export of VRAM");
  FileHandle dmabuf{request.fd};
  const auto bytes = map(memory.bytes, dmabuf.get(), 0);
  if (!bytes) return tl::unexpected{bytes.error()};
  return Buffer{*bytes, std::move(dmabuf), std::move(device)};
}

}  // namespace

Buffer::~Buffer() {
  if (mapped() && !bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

Expected<Buffer> make_buffer(const Memory& memory) {
  switch (memory.provider) {
    case Provider::host:
      return from_host(memory);
    case Provider::udmabuf:
      return from_udmabuf(memory);
    case Provider::virtio_gpu:
      return from_virtio_gpu(memory);
    case Provider::p2pdma:
      return from_p2pdma(memory);
    case Provider::cuda:
    case Provider::hip:
      return make_gpu_buffer(memory);
  }
  return tl::unexpected{Failure{"unknown memory provider"}};
}

}  // namespace peerpath::agent
