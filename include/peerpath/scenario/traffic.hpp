// An entry of `traffic`: keys that every entry has, and those of its kind (peerpath/traffic/catalogue.hpp).
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
#include "peerpath/traffic/catalogue.hpp"

namespace peerpath::scenario {

/// When frames or transfers come.
enum class ArrivalLaw : std::uint8_t { regular, jittered, poisson, burst };
constexpr std::array<EnumName<ArrivalLaw>, 4> enum_names(ArrivalLaw) {
  return {{{"regular", ArrivalLaw::regular},
           {"jittered", ArrivalLaw::jittered},
           {"poisson", ArrivalLaw::poisson},
           {"burst", ArrivalLaw::burst}}};
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

/// One source of traffic. Each alternative of `what` has
/// `name`: the text of `kind`; `fields()`: its own keys; and a trait (peerpath/traffic/kind.hpp).
struct Traffic {
  /// How a sentence calls an entry.
  static constexpr std::string_view called = "traffic";

  std::string name;
  traffic::AnyKind what{};
  std::string from;
  std::string to;
  DataPath path = DataPath::zero_copy;
  BitRate rate = 200_Gbps;
  bool saturates = false;
  std::vector<Bytes> sizes{4_KiB};
  int flows = 16;
  ArrivalLaw arrival = ArrivalLaw::regular;
  int burst = 32;

  /// The text of `kind`.
  std::string_view kind() const {
    return std::visit([](const auto& kind) { return kind.name; }, what);
  }
  /// Calls `use(trait, what)` with the trait of its kind and its own options.
  template <class Use>
  decltype(auto) with_kind(Use use) const {
    return std::visit([&]<class What>(const What& own) -> decltype(auto) { return use(traffic::Kind<What>{}, own); },
                      what);
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
  /// The file whose frames are replayed; "": none.
  std::string_view capture() const {
    return with_kind([](auto trait, const auto& own) { return trait.capture(own); });
  }
  bool replays() const { return !capture().empty(); }
  /// Payload after which it ends; 0: it goes on.
  Bytes ends_after() const {
    return with_kind([](auto trait, const auto& own) { return trait.ends_after(own); });
  }
  /// The transmit entry whose frames it receives, if it does.
  std::optional<std::string> sender() const {
    return with_kind([](auto trait, const auto& own) { return trait.sender(own); });
  }
  /// Whether that entry gives what this one has under `key`.
  bool is_of_sender(std::string_view key) const {
    constexpr std::array<std::string_view, 5> given{"rate", "sizes", "flows", "arrival", "burst"};
    return sender() && (std::ranges::find(given, key) != given.end() ||
                        with_kind([&](auto trait, const auto& own) { return trait.is_of_sender(own, key); }));
  }
  /// Who moves its payload, and whose memory it is at the other end.
  std::vector<traffic::Leg> legs() const {
    return with_kind([&](auto trait, const auto& own) { return trait.legs(own, *this); });
  }

  static constexpr auto fields() {
    return std::tuple{
        field("name", &Traffic::name, "Name in metrics; default: kind and position in the list"),
        field("kind", &Traffic::what, "Kind of traffic"),
        field(
            "from", &Traffic::from,
            "receive, transmit: the NIC; copy: a GPU or host memory; gpunet: a gpunet_proxy, or host memory for a CPU "
            "program; all others: the device that does the DMA"),
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
