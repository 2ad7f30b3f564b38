#include "devices/gpu/blobs.hpp"

#include <algorithm>
#include <new>

#include "peerpath/base/byte_order.hpp"

namespace peerpath::gpu {
namespace {

enum Command : std::uint32_t {
  get_display_info = 0x100,
  resource_unref = 0x102,
  resource_create_blob = 0x10c,
  ctx_create = 0x200,
  ctx_destroy = 0x201,
  ctx_attach_resource = 0x202,
  ctx_detach_resource = 0x203,
  resource_map_blob = 0x208,
  resource_unmap_blob = 0x209,
};

constexpr std::size_t header = 24, fence_flag_at = 4, context_at = 16, resource_at = 24;
constexpr std::uint32_t fence_flag = 1, blob_mem_host3d = 2, use_mappable = 1;
constexpr std::uint64_t page = 4096;
constexpr std::uint32_t map_cache_write_combining = 3;

/// A field of a command; what the guest left out reads 0.
std::uint64_t field(std::span<const std::uint8_t> c, std::size_t at, std::size_t n) {
  return at + n <= c.size() ? load_le(c, at, n) : 0;
}
std::uint32_t field32(std::span<const std::uint8_t> c, std::size_t at) {
  return static_cast<std::uint32_t>(field(c, at, 4));
}

}  // namespace

std::size_t Blobs::execute(std::span<const std::uint8_t> command, std::span<std::uint8_t> reply) {
  ++counters_.commands;
  const auto answer = dispatch_if_there_is_memory(command);
  if (answer >= VirtioReply::unspecified) ++counters_.refused;
  std::size_t size = header;
  if (answer == VirtioReply::ok_map_info) size += 8;
  if (answer == VirtioReply::ok_display_info) size = max_reply;
  std::ranges::fill(reply.first(size), std::uint8_t{0});
  store_le(reply, 0, 4, static_cast<std::uint32_t>(answer));
  if (answer == VirtioReply::ok_map_info) store_le(reply, header, 4, map_cache_write_combining);
  if ((field32(command, fence_flag_at) & fence_flag) != 0) {
    store_le(reply, fence_flag_at, 4, fence_flag);
    for (std::size_t at = 8; at < header; at += 8) store_le(reply, at, 8, field(command, at, 8));
  }
  return size;
}

VirtioReply Blobs::dispatch_if_there_is_memory(Command c) {
  try {
    return dispatch(c);
  } catch (const std::bad_alloc&) {
    return VirtioReply::out_of_memory;
  }
}

VirtioReply Blobs::dispatch(Command c) {
  if (c.size() < header) return VirtioReply::unspecified;
  switch (field32(c, 0)) {
    case get_display_info:
      return VirtioReply::ok_display_info;  // none is enabled
    case ctx_create:
      return create_context(c);
    case ctx_destroy:
      return destroy_context(c);
    case ctx_attach_resource:
      return attach(c, true);
    case ctx_detach_resource:
      return attach(c, false);
    case resource_create_blob:
      return create(c);
    case resource_map_blob:
      return map(c);
    case resource_unmap_blob:
      return unmap(c);
    case resource_unref:
      return destroy(c);
    default:
      return VirtioReply::unspecified;
  }
}

VirtioReply Blobs::create_context(Command c) {
  const auto id = field32(c, context_at);
  if (id == 0 || contexts_.contains(id)) return VirtioReply::invalid_context;
  if (contexts_.size() >= max_contexts) return VirtioReply::out_of_memory;
  contexts_.insert(id);
  return VirtioReply::ok;
}

VirtioReply Blobs::destroy_context(Command c) {
  const auto id = field32(c, context_at);
  if (contexts_.erase(id) == 0) return VirtioReply::invalid_context;
  for (auto& [name, blob] : blobs_) blob.contexts.erase(id);
  return VirtioReply::ok;
}

VirtioReply Blobs::attach(Command c, bool attach) {
  const auto context = field32(c, context_at);
  const auto blob = blobs_.find(field32(c, resource_at));
  if (!contexts_.contains(context)) return VirtioReply::invalid_context;
  if (blob == blobs_.end()) return VirtioReply::invalid_resource;
  if (attach)
    blob->second.contexts.insert(context);
  else if (blob->second.contexts.erase(context) == 0)
    return VirtioReply::invalid_context;
  return VirtioReply::ok;
}

VirtioReply Blobs::create(Command c) {
  const auto id = field32(c, resource_at), memory = field32(c, 28), flags = field32(c, 32);
  const std::uint64_t size = field(c, 48, 8);
  if (id == 0 || blobs_.contains(id)) return VirtioReply::invalid_resource;
  if (memory != blob_mem_host3d || size == 0 || size % page != 0) return VirtioReply::invalid_parameter;
  if (size > vram_ || blobs_.size() >= max_blobs) return VirtioReply::out_of_memory;
  blobs_[id] = {size, (flags & use_mappable) != 0, {}, {}};
  return VirtioReply::ok;
}

bool Blobs::overlaps(std::uint64_t offset, std::uint64_t size) const {
  return std::ranges::any_of(blobs_, [&](const auto& entry) {
    const auto& other = entry.second;
    return other.offset && *other.offset < offset + size && offset < *other.offset + other.size;
  });
}

VirtioReply Blobs::map(Command c) {
  const auto blob = blobs_.find(field32(c, resource_at));
  const std::uint64_t offset = field(c, 32, 8);
  if (blob == blobs_.end()) return VirtioReply::invalid_resource;
  auto& b = blob->second;
  if (!b.mappable || b.offset || offset % page != 0 || offset > vram_ || b.size > vram_ - offset ||
      overlaps(offset, b.size))
    return VirtioReply::invalid_parameter;
  b.offset = offset;
  return VirtioReply::ok_map_info;
}

VirtioReply Blobs::unmap(Command c) {
  const auto blob = blobs_.find(field32(c, resource_at));
  if (blob == blobs_.end()) return VirtioReply::invalid_resource;
  if (!blob->second.offset) return VirtioReply::invalid_parameter;
  blob->second.offset.reset();
  return VirtioReply::ok;
}

VirtioReply Blobs::destroy(Command c) {
  return blobs_.erase(field32(c, resource_at)) > 0 ? VirtioReply::ok : VirtioReply::invalid_resource;
}

void Blobs::reset() {
  blobs_.clear();
  contexts_.clear();
}

std::optional<std::uint64_t> Blobs::mapped_at(std::uint32_t resource) const {
  const auto blob = blobs_.find(resource);
  return blob == blobs_.end() ? std::nullopt : blob->second.offset;
}

}  // namespace peerpath::gpu
