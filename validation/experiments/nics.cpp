// A NIC of this machine and one of another: streams of plain sockets, Device Memory TCP, io_uring's zero-copy receive
// and RDMA into memory here, moved by peerpath-agent, which compares every byte.
#include <algorithm>

#include "validation/experiments/catalogue.hpp"

namespace peerpath::experiments {
namespace {

constexpr std::int64_t smallest = 4096, largest = 1 << 20, probe_bytes = 1 << 16;
constexpr std::int64_t host_memory = 0, gpu_memory = 1;

std::int64_t stream_bytes(const Lab& lab) {
  return static_cast<std::int64_t>(std::min(lab.effort.largest, std::size_t{64} << 20));
}

/// Settings: bytes of one send or operation, and the memory that takes it.
std::vector<Settings> sizes_in(const Lab& lab, std::int64_t memory) {
  std::vector<Settings> all;
  for (auto bytes = smallest; bytes <= std::min(largest, stream_bytes(lab)); bytes *= 4)
    all.push_back({{{"memory", memory}, {"bytes", bytes}}});
  return all;
}
std::vector<Settings> to_host(const Lab& lab) { return sizes_in(lab, host_memory); }
std::vector<Settings> to_gpu(const Lab& lab) { return sizes_in(lab, gpu_memory); }

Measurement stream(Lab& lab, const Settings& settings, NicStream kind) {
  constexpr int most_samples = 7;
  kind.bytes = stream_bytes(lab);
  kind.each = settings.at("bytes");
  const auto operations = static_cast<double>(kind.bytes) / static_cast<double>(kind.each);
  Measurement m;
  m.bytes = kind.each;
  m.correct = true;
  for (int sample = -1; sample < std::min(lab.effort.samples, most_samples); ++sample) {
    const auto outcome = move_stream(lab.nic, kind);
    if (!outcome.problem.empty()) throw gpu::Error{outcome.problem};
    m.correct = m.correct && outcome.correct;
    if (sample >= 0) m.ns.push_back(1e9 * outcome.seconds / operations);
  }
  return m;
}

/// Moves a little; what this machine or the other lacks for it.
std::string missing(const Lab& lab, NicStream kind) {
  if (auto reason = nothing_to_move_with(lab.nic); !reason.empty()) return reason;
  kind.bytes = kind.each = probe_bytes;
  const auto outcome = move_stream(lab.nic, kind);
  return outcome.unsupported ? outcome.problem : "";
}

NicStream by_socket(const Lab&) { return {"socket"}; }
NicStream by_devmem(const Lab&) { return {"devmem", "", "udmabuf"}; }
NicStream by_devmem_to_gpu(const Lab& lab) { return {"devmem", "", lab.gpu_provider, lab.gpu_library}; }
NicStream by_zcrx(const Lab&) { return {"zcrx"}; }
NicStream by_write(const Lab&) { return {"verbs", "write"}; }
NicStream by_read(const Lab&) { return {"verbs", "read"}; }
NicStream by_send(const Lab&) { return {"verbs", "send"}; }
NicStream by_write_to_gpu(const Lab& lab) { return {"verbs", "write", lab.gpu_provider, lab.gpu_library}; }

template <NicStream (*kind)(const Lab&)>
Experiment row(std::string_view name, std::string_view isolates, std::vector<Settings> (*plan)(const Lab&)) {
  return {name, isolates,
          plan, [](Lab& lab, const Settings& settings) { return stream(lab, settings, kind(lab)); },
          "",   [](const Lab& lab) { return missing(lab, kind(lab)); },
          false};
}

}  // namespace

std::vector<Experiment> nics() {
  return {
      row<by_socket>(
          "nic_socket",
          "stream from the peer by plain sockets, by send size: with the kernel's copies and the comparison of "
          "every byte by the CPU",
          to_host),
      row<by_devmem>("nic_devmem", "the same by Device Memory TCP into host memory behind a dma-buf (udmabuf)",
                     to_host),
      row<by_devmem_to_gpu>("nic_devmem_gpu", "the same into memory of the first GPU; without one, of virtio-gpu",
                            to_gpu),
      row<by_zcrx>("nic_zcrx", "the same by io_uring's zero-copy receive into host memory", to_host),
      row<by_write>("nic_verbs_write",
                    "RDMA writes by the peer into host memory, by size; the comparison is not in the time", to_host),
      row<by_write_to_gpu>("nic_verbs_write_gpu", "the same into memory of the first GPU; without one, of virtio-gpu",
                           to_gpu),
      row<by_read>("nic_verbs_read", "RDMA reads of the peer's host memory, by size", to_host),
      row<by_send>("nic_verbs_send", "RDMA sends by the peer into buffers posted before, by size", to_host),
  };
}

}  // namespace peerpath::experiments
