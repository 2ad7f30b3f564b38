// Parts of Linux's interface that are newer than the headers of the system this is built on. Names and values are those
// of the kernel's headers; each group says which.
#pragma once

#include <cstdint>

namespace peerpath::agent::kernel {

// include/uapi/asm-generic/socket.h, include/linux/socket.h
inline constexpr int so_devmem_linear = 78;
inline constexpr int so_devmem_dmabuf = 79;
inline constexpr int so_devmem_dontneed = 80;
inline constexpr int msg_sock_devmem = 0x2000000;

// include/uapi/linux/uio.h
struct DmabufCmsg {
  std::uint64_t frag_offset;
  std::uint32_t frag_size, frag_token, dmabuf_id, flags;
};
struct DmabufToken {
  std::uint32_t token_start, token_count;
};

// include/uapi/linux/netdev.h
inline constexpr int netdev_cmd_bind_rx = 13;
inline constexpr int netdev_cmd_bind_tx = 15;
inline constexpr int netdev_a_dmabuf_ifindex = 1;
inline constexpr int netdev_a_dmabuf_queues = 2;
inline constexpr int netdev_a_dmabuf_fd = 3;
inline constexpr int netdev_a_dmabuf_id = 4;
inline constexpr int netdev_a_queue_id = 1;
inline constexpr int netdev_a_queue_type = 3;
inline constexpr std::uint32_t netdev_queue_type_rx = 0;

// include/uapi/linux/io_uring.h, include/uapi/linux/io_uring/zcrx.h
inline constexpr unsigned ioring_register_zcrx_ifq = 32;
inline constexpr unsigned ioring_op_recv_zc = 58;
inline constexpr std::uint32_t ioring_zcrx_area_dmabuf = 1;
inline constexpr std::uint32_t ioring_mem_region_type_user = 1;
inline constexpr int ioring_zcrx_area_shift = 48;
struct ZcrxRefill {
  std::uint64_t off;
  std::uint32_t len, pad;
};
struct ZcrxCompletion {
  std::uint64_t off, pad;
};
struct ZcrxOffsets {
  std::uint32_t head, tail, rqes, reserved32;
  std::uint64_t reserved[2];
};
struct ZcrxArea {
  std::uint64_t addr, len, rq_area_token;
  std::uint32_t flags, dmabuf_fd;
  std::uint64_t reserved[2];
};
struct ZcrxRegister {
  std::uint32_t if_idx, if_rxq, rq_entries, flags;
  std::uint64_t area_ptr, region_ptr;
  ZcrxOffsets offsets;
  std::uint32_t zcrx_id, rx_buf_len;
  std::uint64_t event_desc, reserved[2];
};
struct RegionDescription {
  std::uint64_t user_addr, size;
  std::uint32_t flags, id;
  std::uint64_t mmap_offset, reserved[4];
};

// include/uapi/drm/virtgpu_drm.h, include/uapi/drm/drm.h
inline constexpr std::uint32_t virtgpu_blob_mem_host3d = 2;
inline constexpr std::uint32_t virtgpu_blob_flag_use_mappable = 1;
inline constexpr std::uint32_t virtgpu_blob_flag_use_shareable = 2;
struct VirtgpuCreateBlob {
  std::uint32_t blob_mem, blob_flags, bo_handle, res_handle;
  std::uint64_t size;
  std::uint32_t pad, cmd_size;
  std::uint64_t cmd, blob_id;
};
struct VirtgpuMap {
  std::uint64_t offset;
  std::uint32_t handle, pad;
};
struct PrimeHandle {
  std::uint32_t handle, flags;
  std::int32_t fd;
};

// qemu-devices/modules/vram/peerpath_vram.h, the module that exports VRAM through p2pdma
struct VramExport {
  std::uint64_t offset, length;
  std::int32_t fd;
  std::uint32_t pad;
};

}  // namespace peerpath::agent::kernel
