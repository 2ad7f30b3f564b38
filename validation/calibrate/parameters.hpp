// What a calibration fits: named physical parameters of a GPU, its link and its host.
#pragma once

#include <array>
#include <string_view>

namespace peerpath::calibrate {

/// The defaults are where a fit starts. Nanoseconds, GB/s, bytes and shares: the optimiser's variables.
struct Parameters {
  double link_share = 0.99;
  double read_latency = 1000;
  double read_queueing = 0.1;
  double read_bunching = 8;
  double read_service = 1.4;
  double partial_write_service = 1.5;
  double store_interval = 50;
  double engine_write_rate = 50;
  double setup_to = 2000, setup_from = 2000, setup_to_busy = 3000, setup_from_busy = 3000;
  double kernel_setup_to = 3000, kernel_setup_from = 2000;
  double submit_small = 6000, submit_large = 6000, submit_from = 6000;
  double atomic_latency = 1000, atomic_queueing = 0.5, atomic_service = 2;
  double host_read_rate = 400, host_write_rate = 400, host_both_rate = 400, host_sharpness = 3;
  double beside_writes_rate = 200, cached = 16;
  double hand_over = 4000;
  double peer_setup = 2000, peer_rate = 300;
  double outstanding_limit = 16384;
  // Tried one by one, not varied.
  double update_interval = 15;
  double engine_request = 256;
  double inline_limit = 8192;
};

struct Parameter {
  std::string_view name, unit;
  double Parameters::*member;
  double least, most;
  std::string_view meaning;
};

inline constexpr std::array<Parameter, 30> varied{{
    {"link_share", "", &Parameters::link_share, 0.85, 1,
     "of the link's rate after coding and SKP that is really reached"},
    {"read_latency", "ns", &Parameters::read_latency, 100, 10000,
     "GPU to host memory and back, without the time on the line"},
    {"read_queueing", "ns", &Parameters::read_queueing, 0, 10,
     "added to a read's latency by each other read outstanding"},
    {"read_bunching", "ns", &Parameters::read_bunching, 0, 100,
     "added to it, times the square root of the reads outstanding less 1: those that meet by chance"},
    {"read_service", "ns", &Parameters::read_service, 0.01, 50, "host: from one read request taken in to the next"},
    {"partial_write_service", "ns", &Parameters::partial_write_service, 0.01, 50,
     "host: from one write of less than a cache line to the next"},
    {"store_interval", "ns", &Parameters::store_interval, 1, 1000, "GPU: from one store of a warp to its next"},
    {"engine_write_rate", "GB/s", &Parameters::engine_write_rate, 5, 200, "copy engine: rate at which it writes"},
    {"setup_to", "ns", &Parameters::setup_to, 100, 20000,
     "copy engine: from copy to copy to the device beside the data"},
    {"setup_from", "ns", &Parameters::setup_from, 100, 20000, "copy engine: the same from the device"},
    {"setup_to_busy", "ns", &Parameters::setup_to_busy, 100, 20000,
     "the same to the device while the other engine works"},
    {"setup_from_busy", "ns", &Parameters::setup_from_busy, 100, 20000,
     "the same from the device while the other engine works"},
    {"kernel_setup_to", "ns", &Parameters::kernel_setup_to, 100, 20000,
     "from kernel to kernel that copies to the device, beside the data"},
    {"kernel_setup_from", "ns", &Parameters::kernel_setup_from, 100, 20000, "the same from the device"},
    {"submit_small", "ns", &Parameters::submit_small, 100, 50000,
     "one copy to the device, submission to end, its data sent with the command"},
    {"submit_large", "ns", &Parameters::submit_large, 100, 50000,
     "one copy to the device, submission to end, beside the data"},
    {"submit_from", "ns", &Parameters::submit_from, 100, 50000,
     "one copy from the device, submission to end, beside the data"},
    {"atomic_latency", "ns", &Parameters::atomic_latency, 100, 10000, "atomic operation on host memory and its answer"},
    {"atomic_queueing", "ns", &Parameters::atomic_queueing, 0, 10, "added to it by each other one outstanding"},
    {"atomic_service", "ns", &Parameters::atomic_service, 0.1, 50,
     "from one atomic operation to the next when many are outstanding"},
    {"host_read_rate", "GB/s", &Parameters::host_read_rate, 10, 2000, "host memory: reads by all GPUs"},
    {"host_write_rate", "GB/s", &Parameters::host_write_rate, 10, 2000, "host memory: writes by all GPUs"},
    {"host_both_rate", "GB/s", &Parameters::host_both_rate, 10, 2000,
     "host memory: reads and writes by all GPUs together"},
    {"host_sharpness", "", &Parameters::host_sharpness, 0.5, 16,
     "how suddenly the host's limits set in: little near 1, where other work shares the host, all at once for many"},
    {"beside_writes_rate", "GB/s", &Parameters::beside_writes_rate, 10, 200,
     "host memory: reads by one GPU that writes as well, of what no cache holds"},
    {"cached", "MiB", &Parameters::cached, 0.25, 1024,
     "host: part of a buffer copied over and over that a cache holds"},
    {"hand_over", "ns", &Parameters::hand_over, 100, 50000,
     "staged copy: for each chunk, from the first GPU's engine to the second's"},
    {"peer_setup", "ns", &Parameters::peer_setup, 100, 20000,
     "copy from GPU to GPU: from copy to copy beside the data"},
    {"peer_rate", "GB/s", &Parameters::peer_rate, 1, 2000, "copy from GPU to GPU: rate of what connects them"},
    {"outstanding_limit", "", &Parameters::outstanding_limit, 64, 65536,
     "GPU: reads of host memory that can be outstanding (tags, credits)"},
}};

/// What only several GPUs at the same time tell. Without them a fit takes the host for unlimited.
inline constexpr std::array contention{&Parameters::host_read_rate, &Parameters::host_write_rate,
                                       &Parameters::host_both_rate, &Parameters::host_sharpness};

/// Whole numbers, each of these values tried.
struct Choice {
  std::string_view name, unit;
  double Parameters::*member;
  std::array<double, 6> values;
  std::string_view meaning;
};

inline constexpr std::array<Choice, 3> chosen{{
    {"update_interval",
     "ns",
     &Parameters::update_interval,
     {2, 5, 10, 15, 30, 100},
     "TLPs received this far apart cause one UpdateFC each (each causes one ACK)"},
    {"engine_request",
     "B",
     &Parameters::engine_request,
     {64, 128, 256, 512, 1024, 4096},
     "copy engine: size of its read requests"},
    {"inline_limit",
     "B",
     &Parameters::inline_limit,
     {512, 1024, 2048, 4096, 8192, 16384},
     "largest copy to the device that is sent with its command"},
}};

}  // namespace peerpath::calibrate
