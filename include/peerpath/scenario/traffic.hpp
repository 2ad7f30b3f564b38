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
  staged,  ///< as bounce, but the NIC and the copy engine use the same pinned memory: no core copies
};
constexpr std::array<EnumName<DataPath>, 3> enum_names(DataPath) {
  return {{{"zero_copy", DataPath::zero_copy}, {"bounce", DataPath::bounce}, {"staged", DataPath::staged}}};
}
/// Whether payload lies in host memory on its way between the NIC and the GPU.
constexpr bool through_host(DataPath path) { return path != DataPath::zero_copy; }

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
                            "GPU memory registered for this entry, its buffers included; occupies BAR1. Absent: the "
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
                  "payload after which the entry ends, a whole number of frames; the run ends when all entries have "
                  "ended. 0B: the entry does not end")
                .at_least(0_B),
            field("capture", &Receive::capture,
                  "pcap or pcapng file whose frames are replayed in place of generated ones"),
            field("time_scale", &Receive::time_scale,
                  "factor applied to the capture's timestamps: 2 replays at half speed")
                .at_least(0.000001)
                .at_most(1000000.0),
            field("sender", &Receive::sender,
                  "transmit entry at the other end of the NIC's cable that supplies the frames; rate, sizes, flows, "
                  "arrival and burst are taken from it and must not be set here. Absent: frames are generated")});
  }
};

/// A NIC sends from host or GPU memory.
struct Transmit : Network {
  static constexpr std::string_view name = "transmit";
};

/// What traffic by a device's own DMA has.
struct Dma {
  Bytes bytes{};
  Bytes window = 64_MiB;
  Bytes offset{};
  Addresses addresses = Addresses::in_turn;
  int traffic_class = 0;
  std::optional<int> outstanding{};

  static constexpr auto fields() {
    return std::tuple{
        field("bytes", &Dma::bytes,
              "payload after which the entry ends, a multiple of the transfer size; the run ends with its last entry. "
              "0B: endless")
            .at_least(0_B),
        field("offset", &Dma::offset,
              "distance of the window from a 4 KiB boundary. 1B to 63B: unaligned buffers, whose requests are split at "
              "other places and carry partial lines")
            .at_least(0_B)
            .at_most(4095_B),
        field("window", &Dma::window, "size of the address range that transfers are spread over").at_least(4_KiB),
        field("addresses", &Dma::addresses, "order of addresses within the window"),
        field("traffic_class", &Dma::traffic_class,
              "traffic class of the TLPs; links with `vc1` map it to a virtual channel")
            .at_least(0)
            .at_most(7),
        field("outstanding", &Dma::outstanding,
              "transfers in flight; for kernels of a GPU, the number of warps with one transfer each. Absent: the "
              "device's own limit")
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
        field("by", &Copy::by, "GPU unit that performs a copy: a copy engine or a kernel"),
        field("submission", &Copy::submission,
              "queued: all copies are submitted in advance; single: each is submitted once the previous one is seen to "
              "complete"),
        field("through", &Copy::through,
              "host memory that stages copies between GPUs; absent: the direct connection between the GPUs "
              "(gpu.copies.peer_rate)"),
        field("chunk", &Copy::chunk, "staged copies: chunk size; one chunk goes down while the next one comes up")
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
  bool saturates = false;
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
  Bytes ends_after() const {
    if (const auto* dma = as<traffic::Dma>()) return dma->bytes;
    return is<traffic::Receive>() ? as<traffic::Receive>()->bytes : Bytes{};
  }
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
        field("name", &Traffic::name, "Name in metrics; default: kind and position in the list"),
        field("kind", &Traffic::what, "Kind of traffic"),
        field("from", &Traffic::from,
              "receive, transmit: the NIC; write, read, atomic: the device that does the DMA; copy: a GPU or host "
              "memory; gpunet: a gpunet_proxy, or host memory for a CPU program"),
        field("to", &Traffic::to,
              "Target of the payload (receive, write, copy) or its source (transmit, read): a GPU, DMA card or host "
              "memory; gpunet: as `from`"),
        field(
            "path", &Traffic::path,
            "receive, transmit: zero_copy between NIC and GPU; bounce: through host memory, with a copy by a core and "
            "one by the GPU's copy engine; staged: through pinned host memory that the NIC and the GPU's copy engine "
            "share, without a copy by a core. gpunet over rdma: zero_copy, or bounce by the GPU's stores and loads"),
        field("rate", &Traffic::rate,
              "Offered rate. receive, transmit: on the wire, preamble and gap included; all others: payload"),
        field(
            "saturates", &Traffic::saturates,
            "Whether the entry is meant to offer more than its path carries; the run then does not warn about it. Not "
            "for receive"),
        field("sizes", &Traffic::sizes, "Payload per frame or transfer; a list is used in turn"),
        field("flows", &Traffic::flows,
              "Number of connections; write, read: parts of the window with an address sequence each, used in turn. "
              "Must be 1 for transfers by a dma_card's own engine (arrival regular, traffic class 0)")
            .at_least(1)
            .at_most(1'000'000),
        field("arrival", &Traffic::arrival, "Arrival process of frames or transfers"),
        field("burst", &Traffic::burst, "Frames per burst, for arrival `burst`").at_least(1)};
  }
};

}  // namespace peerpath::scenario
