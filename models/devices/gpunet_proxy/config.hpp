// What a scenario can set on a proxy for the sockets of GPU programs, and on the programs beside it.
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
        field("send", &SocketCosts::send, "A call of send, without its bytes").at_most(longest_step).from("assumed"),
        field("receive", &SocketCosts::receive, "A call of recv that finds something, without its bytes")
            .at_most(longest_step)
            .from("assumed"),
        field("empty", &SocketCosts::empty, "A call of recv that finds nothing").at_most(longest_step).from("assumed"),
        field("send_rate", &SocketCosts::send_rate, "At which send takes in bytes")
            .at_least(least_rate)
            .from("assumed: a core's copy"),
        field("receive_rate", &SocketCosts::receive_rate, "At which recv hands out bytes")
            .at_least(least_rate)
            .from("assumed: a core's copy"),
        field("latency", &SocketCosts::latency, "From a segment that is sent to one that can be received")
            .at_most(longest_wait)
            .from("assumed: cache lines from core to core"),
        field("segment", &SocketCosts::segment, "Bytes that can be received before the rest of a send is in")
            .at_least(512_B)
            .at_most(1_MiB)
            .from("Linux: a buffer of an UNIX stream holds 32 KiB"),
        field("buffer", &SocketCosts::buffer, "Sent bytes that wait to be received, at most")
            .at_least(4_KiB)
            .at_most(64_MiB)
            .from("validation/gpunet: SO_SNDBUF is that of the ring")};
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
        field("call", &BlockCosts::call, "gsend or grecv: barriers of the block and its book-keeping")
            .at_most(longest_step)
            .from("assumed"),
        field("release", &BlockCosts::release,
              "From the last store in host memory to the flag that releases it, besides their way")
            .at_most(longest_step)
            .from("H200: 1 to 2 us beside one store, MSCCL++ PR 864"),
        field("poll", &BlockCosts::poll, "A look at host memory, besides the read's way over PCIe")
            .at_most(longest_step)
            .from("what is left of a dependent read on H200, 1,115 ns: fitted with the host's preset"),
        field("local_poll", &BlockCosts::local_poll, "A look at GPU memory, doorbell gpu")
            .at_most(longest_step)
            .from("assumed"),
        field("doorbell", &BlockCosts::doorbell, "What one thread needs for a work request and its doorbell")
            .at_most(longest_step)
            .from("assumed: GPUs build work requests slowly"),
        field("in_flight", &BlockCosts::in_flight, "Bytes that a block reads from host memory at a time")
            .at_least(64_B)
            .at_most(1_MiB)
            .from("128 threads of 64 B, validation/gpunet"),
        field("stream_call", &BlockCosts::stream_call,
              "The same as call in streams, with what their programs do at each message; 0: call")
            .at_most(longest_step)
            .from("as call"),
        field("local_rate", &BlockCosts::local_rate, "At which a block copies within the GPU's memory")
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
        field("post", &RdmaCosts::post, "What a core needs for a work request and its doorbell")
            .at_most(longest_step)
            .from("assumed"),
        field("request", &RdmaCosts::request, "From the doorbell to the first read of payload")
            .at_most(longest_step)
            .from("assumed"),
        field("completion", &RdmaCosts::completion, "What a core needs for a completion")
            .at_most(longest_step)
            .from("assumed"),
        field("delay", &RdmaCosts::delay, "From NIC to NIC, besides the bits of a frame")
            .at_least(shortest_latency)
            .at_most(longest_wait)
            .from("assumed: two NICs and one switch"),
        field("copy", &RdmaCosts::copy,
              "Path bounce: what a core needs to start and see the end of a copy between GPU and host memory, each "
              "time; 0: the block stores and loads by itself")
            .at_most(longest_wait)
            .from("0; 2014: cudaMemcpyAsync and an event"),
        field("segment", &RdmaCosts::segment, "Most bytes of one work request")
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
        field("at", &GpunetProxyConfig::at, "The root complex of its host"),
        field("gpu", &GpunetProxyConfig::gpu, "Whose programs it serves"),
        field("nic", &GpunetProxyConfig::nic, "Its NIC, for the channel rdma"),
        field("threads", &GpunetProxyConfig::threads, "Cores that sweep, each over its own connections")
            .at_least(1)
            .at_most(64),
        field("sweep", &GpunetProxyConfig::sweep, "What a sweep takes besides its connections")
            .at_most(longest_step)
            .from("assumed"),
        field("look", &GpunetProxyConfig::look,
              "What a sweep takes for each connection that has nothing: a cache line, or a read of GPU memory over BAR")
            .at_most(longest_step)
            .from("assumed: a line of its own cache"),
        field("entry", &GpunetProxyConfig::entry,
              "What a send takes for each entry that it gathers after the first one")
            .at_most(longest_step)
            .from("assumed: nothing"),
        field("directly", &GpunetProxyConfig::directly,
              "With no more connections each sweep asks all of them for data, else those that epoll names")
            .at_least(0)
            .at_most(4096)
            .from("validation/gpunet/proxy/options.hpp"),
        field("ring", &GpunetProxyConfig::ring, "Of each direction of a connection")
            .at_least(4_KiB)
            .at_most(64_MiB)
            .from("validation/gpunet: 1 MiB, 64 KiB with many connections"),
        field("gather", &GpunetProxyConfig::gather,
              "After it received much, or again at once, from a kernel's socket: until it asks that one again")
            .at_most(longest_step)
            .from("validation/gpunet/proxy/inbound.cpp"),
        field("unix", &GpunetProxyConfig::local, "What UNIX sockets cost"),
        field("tcp", &GpunetProxyConfig::tcp, "What TCP costs, within the host"),
        field("rdma", &GpunetProxyConfig::rdma, "What a reliable connection of its NIC costs"),
        field("block", &GpunetProxyConfig::block, "What the library costs a threadblock")};
  }
};

}  // namespace peerpath::device
