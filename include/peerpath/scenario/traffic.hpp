// An entry of `traffic`: keys that every entry has, and those of its kind. A new kind is a struct here and its place in
// `Traffic::what`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::scenario {

/// When frames or transfers come.
enum class ArrivalLaw : std::uint8_t { regular, jittered, poisson, burst };
constexpr std::array<EnumName<ArrivalLaw>, 4> enum_names(ArrivalLaw) {
  return {{{"regular", ArrivalLaw::regular},
           {"jittered", ArrivalLaw::jittered},
           {"poisson", ArrivalLaw::poisson},
           {"burst", ArrivalLaw::burst}}};
}

/// Where the next transfer of a device's own DMA goes.
enum class Addresses : std::uint8_t {
  in_turn,  ///< behind the one before it
  random,   ///< any place of its window: a multiple of its size in whole lines of 64 B, each as likely as the others
};
constexpr std::array<EnumName<Addresses>, 2> enum_names(Addresses) {
  return {{{"in_turn", Addresses::in_turn}, {"random", Addresses::random}}};
}

/// Which way payload takes between the NIC and the GPU.
enum class DataPath : std::uint8_t {
  zero_copy,  ///< the NIC writes payload straight to `to`, or reads it there
  bounce,  ///< received: the NIC writes to host memory, the CPU copies, the GPU's copy engine fetches it to `to`; sent:
           ///< the other way round
};
constexpr std::array<EnumName<DataPath>, 2> enum_names(DataPath) {
  return {{{"zero_copy", DataPath::zero_copy}, {"bounce", DataPath::bounce}}};
}

/// What of a GPU moves the bytes of a copy.
enum class CopyBy : std::uint8_t { engine, kernel };
constexpr std::array<EnumName<CopyBy>, 2> enum_names(CopyBy) {
  return {{{"engine", CopyBy::engine}, {"kernel", CopyBy::kernel}}};
}

/// When a copy is submitted.
enum class Submission : std::uint8_t {
  queued,  ///< all are, long before: one follows the other in a stream
  single,  ///< when the one before is seen to be over
};
constexpr std::array<EnumName<Submission>, 2> enum_names(Submission) {
  return {{{"queued", Submission::queued}, {"single", Submission::single}}};
}

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

namespace traffic {

/// What traffic of a NIC's queues has.
struct Network {
  std::string headers_to;
  std::optional<Bytes> registered{};

  static constexpr auto fields() {
    return std::tuple{field("headers_to", &Network::headers_to, "host memory that holds headers and rings"),
                      field("registered", &Network::registered,
                            "GPU memory that is registered for it and takes BAR1, its buffers among it; absent: the "
                            "buffers of its queues")};
  }
};

/// Frames arrive at a NIC and go to host or GPU memory.
struct Receive : Network {
  static constexpr std::string_view name = "receive";
  Bytes bytes{};
  std::string capture;
  double time_scale = 1.0;
  std::optional<std::string> sender{};

  /// Whether the sender gives what this entry has under `key`.
  bool is_of_sender(std::string_view key) const { return sender && key == "time_scale"; }

  static constexpr auto fields() {
    return std::tuple_cat(
        Network::fields(),
        std::tuple{
            field("bytes", &Receive::bytes,
                  "payload after which it ends, whole frames; the run ends when all traffic has. 0B: it goes on")
                .at_least(0_B),
            field("capture", &Receive::capture, "pcap or pcapng file whose frames are replayed instead of a pattern"),
            field("time_scale", &Receive::time_scale, "stretches the capture's own timing: 2 is half the speed")
                .at_least(0.000001)
                .at_most(1000000.0),
            field("sender", &Receive::sender,
                  "the transmit entry at the other end of the NIC's cable whose frames it receives; rate, sizes, "
                  "flows, arrival and burst are that entry's, and refused here. Absent: frames are generated")});
  }
};

/// A NIC sends from host or GPU memory.
struct Transmit : Network {
  static constexpr std::string_view name = "transmit";
};

/// What traffic by a device's own DMA has.
struct Dma {
  Bytes window = 64_MiB;
  Addresses addresses = Addresses::in_turn;
  int traffic_class = 0;
  std::optional<int> outstanding{};

  static constexpr auto fields() {
    return std::tuple{
        field("window", &Dma::window, "addresses are taken from a window of this size").at_least(4_KiB),
        field("addresses", &Dma::addresses, "in which order"),
        field("traffic_class", &Dma::traffic_class, "of its TLPs; links with `vc1` map it to a virtual channel")
            .at_least(0)
            .at_most(7),
        field("outstanding", &Dma::outstanding,
              "transfers in flight; where a GPU's kernels do it: warps, each with one. Absent: that of the device")
            .at_least(1)
            .at_most(65536)};
  }
};

/// A device writes to another by DMA.
struct Write : Dma {
  static constexpr std::string_view name = "write";
};

/// A device reads from another by DMA.
struct Read : Dma {
  static constexpr std::string_view name = "read";
};

/// Kernels of a GPU add to words of another memory: a request and its answer each.
struct Atomic : Dma {
  static constexpr std::string_view name = "atomic";
};

/// A GPU copies between its memory and the host's, or another GPU's, one copy of `sizes` after the other.
struct Copy {
  static constexpr std::string_view name = "copy";
  CopyBy by = CopyBy::engine;
  Submission submission = Submission::queued;
  std::string through{};
  Bytes chunk = 1_MiB;

  static constexpr auto fields() {
    return std::tuple{
        field("by", &Copy::by, "whether a copy engine of the GPU or a kernel moves the bytes"),
        field("submission", &Copy::submission,
              "queued: long before; single: each when the one before is seen to be over"),
        field("through", &Copy::through,
              "from GPU to GPU: host memory that it is staged in; absent: what joins the GPUs besides PCIe "
              "(gpu.copies.peer_rate)"),
        field("chunk", &Copy::chunk,
              "of a staged copy: pieces that it is cut into, each on its way down while the next one comes up")
            .at_least(4_KiB)};
  }
};

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
        field("pattern", &Gpunet::pattern, "What the programs do"),
        field("channel", &Gpunet::channel,
              "unix, tcp: sockets of the kernel within one host; rdma: reliable connections of the proxies' NICs"),
        field("doorbell", &Gpunet::doorbell,
              "rdma: who rings the NIC's doorbell and is told of completions: the proxy, or the GPU by itself"),
        field("answer", &Gpunet::answer, "face_server: of the answer, and of a request to memcached")
            .at_least(1_B)
            .at_most(120_B),
        field("work", &Gpunet::work, "mapreduce, face_server: what a block computes for each message")
            .at_least(Duration{})
            .at_most(1s)};
  }
};

}  // namespace traffic

/// One source of traffic. Each alternative of `what` has
/// `name`: the text of `kind`; `fields()`: its own keys.
struct Traffic {
  /// How a sentence calls an entry.
  static constexpr std::string_view called = "traffic";

  std::string name;
  std::variant<traffic::Receive, traffic::Transmit, traffic::Write, traffic::Read, traffic::Copy, traffic::Atomic,
               traffic::Gpunet>
      what{};
  std::string from;
  std::string to;
  DataPath path = DataPath::zero_copy;
  BitRate rate = 200_Gbps;
  std::vector<Bytes> sizes{4_KiB};
  int flows = 16;
  ArrivalLaw arrival = ArrivalLaw::regular;
  int burst = 32;

  /// "receive", "transmit", "write", "read", "copy", "atomic" or "gpunet".
  std::string_view kind() const {
    return std::visit([](const auto& kind) { return kind.name; }, what);
  }
  template <class What>
  bool is() const {
    return std::holds_alternative<What>(what);
  }
  /// What it does if it is of this kind, or of one that derives from it, else nullptr.
  template <class What>
  const What* as() const {
    return std::visit(
        [](const auto& kind) -> const What* {
          if constexpr (std::is_base_of_v<What, std::remove_cvref_t<decltype(kind)>>)
            return &kind;
          else
            return nullptr;
        },
        what);
  }
  template <class What>
  What* as() {
    return const_cast<What*>(std::as_const(*this).template as<What>());
  }
  /// Whether frames of a capture are replayed.
  bool replays() const { return is<traffic::Receive>() && !as<traffic::Receive>()->capture.empty(); }
  /// Payload after which it ends; 0: it goes on.
  Bytes ends_after() const { return is<traffic::Receive>() ? as<traffic::Receive>()->bytes : Bytes{}; }
  /// The transmit entry whose frames it receives, if it does.
  std::optional<std::string> sender() const {
    return is<traffic::Receive>() ? as<traffic::Receive>()->sender : std::nullopt;
  }
  /// Whether that entry gives what this one has under `key`.
  bool is_of_sender(std::string_view key) const {
    constexpr std::array<std::string_view, 5> given{"rate", "sizes", "flows", "arrival", "burst"};
    const auto* receive = as<traffic::Receive>();
    return receive != nullptr && receive->sender &&
           (std::ranges::find(given, key) != given.end() || receive->is_of_sender(key));
  }

  static constexpr auto fields() {
    return std::tuple{
        field("name", &Traffic::name, "How metrics call it; the default is its kind and place in the list"),
        field("kind", &Traffic::what, "What happens"),
        field("from", &Traffic::from,
              "receive, transmit: the NIC; write, read, atomic: the device that does the DMA; copy: a GPU or host "
              "memory; gpunet: a gpunet_proxy, or host memory for a program of the CPU"),
        field("to", &Traffic::to,
              "Memory that the payload goes to (receive, write, copy) or comes from (transmit, read): a GPU, DMA card "
              "or host memory; gpunet: as from"),
        field("path", &Traffic::path,
              "receive, transmit: zero copy between NIC and GPU, or bounced through host memory by the GPU's copy "
              "engine and a copy of the CPU; gpunet over rdma: the same, bounced by the GPU's stores and loads"),
        field("rate", &Traffic::rate,
              "receive, transmit: rate on the wire, preamble and gap included; all others: payload offered"),
        field("sizes", &Traffic::sizes, "Payload bytes of a frame or transfer; several are taken in turn"),
        field("flows", &Traffic::flows,
              "Connections; write, read: parts of the window, each with its own next address, taken in turn (one "
              "where a "
              "dma_card's own engine transfers: arrival regular, traffic class 0)")
            .at_least(1)
            .at_most(1'000'000),
        field("arrival", &Traffic::arrival, "When they come"),
        field("burst", &Traffic::burst, "Frames that come back to back, for arrival burst").at_least(1)};
  }
};

}  // namespace peerpath::scenario
