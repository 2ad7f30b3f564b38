// Options of sockets of GPU programs.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::scenario {

/// What programs at the two ends of a GPU's sockets do.
enum class SocketPattern : std::uint8_t {
  echo,         ///< `from` sends on every connection, and waits until all has come back
  stream,       ///< `from` sends without end
  mapreduce,    ///< blocks of both GPUs send to each other without end, each message after some work
  face_server,  ///< `from` sends photographs; a block gets another one of a memcached, compares, and answers
};
constexpr std::array<EnumName<SocketPattern>, 4> enum_names(SocketPattern) {
  return {{{"echo", SocketPattern::echo},
           {"stream", SocketPattern::stream},
           {"mapreduce", SocketPattern::mapreduce},
           {"face_server", SocketPattern::face_server}}};
}

/// What carries the bytes of sockets between two proxies, or a proxy and a program.
enum class SocketChannel : std::uint8_t { local, tcp, rdma };
constexpr std::array<EnumName<SocketChannel>, 3> enum_names(SocketChannel) {
  return {{{"unix", SocketChannel::local}, {"tcp", SocketChannel::tcp}, {"rdma", SocketChannel::rdma}}};
}

/// Who tells the NIC of what is to be sent, and hears of what has come.
enum class Doorbell : std::uint8_t { proxy, gpu };
constexpr std::array<EnumName<Doorbell>, 2> enum_names(Doorbell) {
  return {{{"proxy", Doorbell::proxy}, {"gpu", Doorbell::gpu}}};
}

}  // namespace peerpath::scenario

namespace peerpath::scenario::traffic {

/// Programs of a GPU talk by sockets (validation/gpunet). `path` says whether NICs reach the GPU's memory, `flows` how
/// many connections there are, each with a block of its own.
struct Gpunet {
  static constexpr std::string_view name = "gpunet";
  SocketPattern pattern = SocketPattern::echo;
  SocketChannel channel = SocketChannel::local;
  Doorbell doorbell = Doorbell::proxy;
  Bytes answer = 16_B;
  Duration work{};

  static constexpr auto fields() {
    using namespace std::chrono_literals;
    return std::tuple{
        field("pattern", &Gpunet::pattern, "Program at the two ends"),
        field("channel", &Gpunet::channel,
              "unix, tcp: kernel sockets within one host; rdma: reliable connections of the proxies' NICs"),
        field("doorbell", &Gpunet::doorbell,
              "rdma: party that rings the NIC's doorbell and polls for completions: the proxy, or the GPU itself"),
        field("answer", &Gpunet::answer, "face_server: size of a reply, and of a request to memcached")
            .at_least(1_B)
            .at_most(120_B),
        field("work", &Gpunet::work, "mapreduce, face_server: compute time of a block per message")
            .at_least(Duration{})
            .at_most(1s)};
  }
};

}  // namespace peerpath::scenario::traffic
