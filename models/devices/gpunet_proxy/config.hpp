// Options of a proxy for the sockets of GPU programs, and on the programs beside it.
#pragma once

#include <string>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::device {

using namespace literals;
using namespace std::chrono_literals;

/// What one kind of the kernel's sockets costs a core.
struct SocketCosts {
  Duration send = 900ns, receive = 700ns, empty = 150ns;
  BitRate send_rate{80'000'000'000}, receive_rate{80'000'000'000};
  Duration latency = 200ns;
  Bytes segment = 32_KiB;
  Bytes buffer = 1_MiB;

  static constexpr auto fields() {
    return std::tuple{
        field("send", &SocketCosts::send, "Fixed cost of a send call, its bytes excluded")
            .at_most(longest_step)
            .from("assumed"),
        field("receive", &SocketCosts::receive, "Fixed cost of a recv call that returns data, its bytes excluded")
            .at_most(longest_step)
            .from("assumed"),
        field("empty", &SocketCosts::empty, "Cost of a recv call that returns no data")
            .at_most(longest_step)
            .from("assumed"),
        field("send_rate", &SocketCosts::send_rate, "Rate at which send copies bytes in")
            .at_least(least_rate)
            .from("assumed: a core's copy"),
        field("receive_rate", &SocketCosts::receive_rate, "Rate at which recv copies bytes out")
            .at_least(least_rate)
            .from("assumed: a core's copy"),
        field("latency", &SocketCosts::latency, "Time from sending a segment until it can be received")
            .at_most(longest_wait)
            .from("assumed: cache lines from core to core"),
        field("segment", &SocketCosts::segment, "Bytes that become receivable before the rest of a send is copied in")
            .at_least(512_B)
            .at_most(1_MiB)
            .from("Linux: a buffer of an UNIX stream holds 32 KiB"),
        field("buffer", &SocketCosts::buffer, "Maximum bytes sent and not yet received")
            .at_least(4_KiB)
            .at_most(64_MiB)
            .from("validation/gpunet: SO_SNDBUF equals the ring size")};
  }
};

/// What the library costs a threadblock.
struct BlockCosts {
  Duration call = 300ns;
  Duration release = 1us;
  Duration poll{};
  Duration local_poll = 700ns;
  Duration doorbell = 1500ns;
  Bytes in_flight = 8_KiB;
  Duration stream_call{};
  BitRate local_rate{400'000'000'000};

  static constexpr auto fields() {
    return std::tuple{
        field("call", &BlockCosts::call, "Cost of a gsend or grecv call: barriers of the block and bookkeeping")
            .at_most(longest_step)
            .from("assumed"),
        field(
            "release", &BlockCosts::release,
            "Time from the last store to host memory to the store of the flag that publishes it, fabric time excluded")
            .at_most(longest_step)
            .from("H200: 1 to 2 us beside one store, MSCCL++ PR 864"),
        field("poll", &BlockCosts::poll, "Time of one poll of host memory, the PCIe round trip excluded")
            .at_most(longest_step)
            .from("fitted with the host's preset: remainder of a dependent read on H200, 1,115 ns"),
        field("local_poll", &BlockCosts::local_poll, "Time of one poll of GPU memory; with doorbell `gpu`")
            .at_most(longest_step)
            .from("assumed"),
        field("doorbell", &BlockCosts::doorbell,
              "Time that one GPU thread needs to build a work request and ring the doorbell")
            .at_most(longest_step)
            .from("assumed: GPUs build work requests slowly"),
        field("in_flight", &BlockCosts::in_flight, "Bytes that a block keeps outstanding when it reads host memory")
            .at_least(64_B)
            .at_most(1_MiB)
            .from("128 threads of 64 B, validation/gpunet"),
        field("stream_call", &BlockCosts::stream_call,
              "Cost of a call in pattern `stream`, the program's work per message included; 0: as `call`")
            .at_most(longest_step)
            .from("as call"),
        field("local_rate", &BlockCosts::local_rate, "Rate at which a block copies within GPU memory")
            .at_least(least_rate)
            .from("assumed")};
  }
};

/// What a reliable connection costs.
struct RdmaCosts {
  Duration post = 200ns;
  Duration request = 400ns;
  Duration completion = 150ns;
  Duration delay = 600ns;
  Duration copy{};
  Bytes segment = 64_KiB;

  static constexpr auto fields() {
    return std::tuple{
        field("post", &RdmaCosts::post, "CPU time to build a work request and ring the doorbell")
            .at_most(longest_step)
            .from("assumed"),
        field("request", &RdmaCosts::request, "Time from the doorbell to the first read of payload")
            .at_most(longest_step)
            .from("assumed"),
        field("completion", &RdmaCosts::completion, "CPU time to process a completion")
            .at_most(longest_step)
            .from("assumed"),
        field("delay", &RdmaCosts::delay, "One-way latency between the NICs, serialisation of the frame excluded")
            .at_least(shortest_latency)
            .at_most(longest_wait)
            .from("assumed: two NICs and one switch"),
        field("copy", &RdmaCosts::copy,
              "Path bounce: CPU time to start and reap one copy between GPU and host memory; 0: the block copies with "
              "loads and stores")
            .at_most(longest_wait)
            .from("0; 2014: cudaMemcpyAsync and an event"),
        field("segment", &RdmaCosts::segment, "Maximum size of one work request")
            .at_least(256_B)
            .at_most(1_MiB)
            .from("ut-osa/gpunet: 64 KiB")};
  }
};

/// A thread of the CPU, or several, that makes the socket calls of one GPU's programs come true.
struct GpunetProxyConfig {
  std::string at, gpu, nic;
  int threads = 1;
  Duration sweep = 60ns;
  Duration look = 20ns;
  Duration entry{};
  int directly = 8;
  Bytes ring = 1_MiB;
  Duration gather = 12us;
  SocketCosts local{}, tcp{};
  RdmaCosts rdma{};
  BlockCosts block{};

  static constexpr auto fields() {
    return std::tuple{
        field("at", &GpunetProxyConfig::at, "Root complex of its host"),
        field("gpu", &GpunetProxyConfig::gpu, "GPU whose programs it serves"),
        field("nic", &GpunetProxyConfig::nic, "NIC that it uses for channel `rdma`"),
        field("threads", &GpunetProxyConfig::threads, "CPU threads that poll, each over its own connections")
            .at_least(1)
            .at_most(64),
        field("sweep", &GpunetProxyConfig::sweep, "Fixed cost of one pass over the connections")
            .at_most(longest_step)
            .from("assumed"),
        field("look", &GpunetProxyConfig::look,
              "Cost per idle connection in a pass: a cache line, or a read of GPU memory over the BAR")
            .at_most(longest_step)
            .from("assumed: a line of its own cache"),
        field("entry", &GpunetProxyConfig::entry, "Cost of each further entry that a send gathers")
            .at_most(longest_step)
            .from("assumed: nothing"),
        field("directly", &GpunetProxyConfig::directly,
              "Number of connections up to which each pass polls all sockets; above it, those reported by epoll")
            .at_least(0)
            .at_most(4096)
            .from("validation/gpunet/proxy/options.hpp"),
        field("ring", &GpunetProxyConfig::ring, "Size of the ring of each direction of a connection")
            .at_least(4_KiB)
            .at_most(64_MiB)
            .from("validation/gpunet: 1 MiB, 64 KiB with many connections"),
        field("gather", &GpunetProxyConfig::gather,
              "Delay before a socket is polled again after a large or immediate receive")
            .at_most(longest_step)
            .from("validation/gpunet/proxy/inbound.cpp"),
        field("unix", &GpunetProxyConfig::local, "Cost of UNIX sockets"),
        field("tcp", &GpunetProxyConfig::tcp, "Cost of TCP sockets within the host"),
        field("rdma", &GpunetProxyConfig::rdma, "Cost of a reliable connection of its NIC"),
        field("block", &GpunetProxyConfig::block, "Cost of library calls in a threadblock")};
  }
};

}  // namespace peerpath::device
