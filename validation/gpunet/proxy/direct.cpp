#include "validation/gpunet/proxy/direct.hpp"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace peerpath::gpunet {

DirectMemory::DirectMemory(unsigned slices, Export by) : free_at_first_{slices}, export_{std::move(by)} {
  for (unsigned slice = slices; slice-- > 0;) free_.push_back(static_cast<int>(slice));
}

DirectMemory::~DirectMemory() {
  if (dmabuf_ >= 0) ::close(dmabuf_);
}

void DirectMemory::offer(unsigned char* base, int dmabuf, Net& net) {
  base_ = base;
  dmabuf_ = dmabuf;
  ring_bytes_ = net.size.ring_bytes;
  net.direct_out = base;
  net.direct_in = base + free_at_first_ * ring_bytes_;
}

void DirectMemory::refuse(const std::string& why) {
  const std::lock_guard lock{mutex_};
  if (refused_.empty()) refused_ = why;
}

std::string DirectMemory::refused() const {
  const std::lock_guard lock{mutex_};
  return refused_;
}

int DirectMemory::take() {
  const std::lock_guard lock{mutex_};
  if (dmabuf_ < 0 || !refused_.empty() || free_.empty()) return -1;
  const int slice = free_.back();
  free_.pop_back();
  return slice;
}

void DirectMemory::give(int slice) {
  const std::lock_guard lock{mutex_};
  free_.push_back(slice);
}

bool DirectMemory::holds(const void* at) const {
  return dmabuf_ >= 0 && at >= base_ && at < base_ + free_at_first_ * ring_bytes_;
}

std::uint64_t DirectMemory::offset_of(const void* at) const {
  return static_cast<std::uint64_t>(static_cast<const unsigned char*>(at) - base_);
}

std::uint64_t DirectMemory::slot_offset(int slice, std::uint32_t slot) const {
  return free_at_first_ * ring_bytes_ + static_cast<std::uint64_t>(slice) * direct_in_bytes + slot * direct_slot_bytes;
}

int DirectMemory::export_by_udmabuf(int file, std::uint64_t bytes) {
  const int device = ::open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
  if (device < 0) return -1;
  udmabuf_create create{};
  create.memfd = static_cast<unsigned>(file);
  create.flags = UDMABUF_FLAGS_CLOEXEC;
  create.size = bytes;
  const int dmabuf = ::ioctl(device, UDMABUF_CREATE, &create);
  ::close(device);
  return dmabuf;
}

}  // namespace peerpath::gpunet
