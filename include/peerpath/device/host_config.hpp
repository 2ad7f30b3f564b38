// What a scenario can set on the inside of a host: address translation and the last-level cache. Each is a group of
// options that is absent unless a scenario names it.
#pragma once

#include <array>
#include <optional>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::device {

/// Bounds of what a device can be told, far beyond any real one: sums of such times stay within what can be counted.
inline constexpr Duration longest_wait = std::chrono::seconds{1};
/// The same of what each piece of a transfer takes.
inline constexpr Duration longest_step = std::chrono::microseconds{100};
inline constexpr BitRate least_rate{1'000'000};
/// Of what forwards: nothing goes through at once (1 ps).
inline constexpr Duration shortest_latency{1000};

/// Which entry of a set makes room for a new one.
enum class Replacement : std::uint8_t {
  lru,     ///< the one that was used longest ago
  fifo,    ///< the one that has been there longest
  random,  ///< any
};
constexpr std::array<EnumName<Replacement>, 3> enum_names(Replacement) {
  return {{{"lru", Replacement::lru}, {"fifo", Replacement::fifo}, {"random", Replacement::random}}};
}

/// The page sizes of x86 and of VT-d's second-level tables; the value is the number of offset bits.
enum class PageSize : std::uint8_t { small = 12, large = 21, huge = 30 };
constexpr std::array<EnumName<PageSize>, 3> enum_names(PageSize) {
  return {{{"4KiB", PageSize::small}, {"2MiB", PageSize::large}, {"1GiB", PageSize::huge}}};
}

/// Translation of bus addresses at each root port.
struct IommuConfig {
  int entries = 64;
  int ways = 0;
  Replacement replacement = Replacement::lru;
  PageSize page_size = PageSize::small;
  int walkers = 6;
  Duration walk_latency = std::chrono::nanoseconds{290};
  Duration hit_latency{};
  Duration flush_interval{};

  static constexpr auto fields() {
    using namespace std::chrono_literals;
    return std::tuple{
        field("entries", &IommuConfig::entries, "IOTLB entries that each root port has")
            .at_least(1)
            .at_most(65536)
            .from("assumed: R. Neugebauer et al., SIGCOMM 2018, conclude 64 from where curves break"),
        field("ways", &IommuConfig::ways,
              "Entries that a page can be in; divides `entries`. 0: any (fully associative)")
            .at_least(0)
            .at_most(65536),
        field("replacement", &IommuConfig::replacement, "Which entry makes room for a new page").from("assumed"),
        field("page_size", &IommuConfig::page_size,
              "What one entry covers: pages that buffers are mapped with. 2MiB needs super-pages in the IOMMU and "
              "buffers that are contiguous"),
        field("walkers", &IommuConfig::walkers, "Page walks at a time; further misses wait for one to end")
            .at_least(1)
            .at_most(1024)
            .from("fitted: pcie-bench, 64 B transfers in a window of 64 MiB, Broadwell"),
        field("walk_latency", &IommuConfig::walk_latency, "A miss: from its start to the translation")
            .at_most(longest_wait)
            .from("fitted: pcie-bench, read latency against the window, Broadwell"),
        field("hit_latency", &IommuConfig::hit_latency, "Added to each translated request")
            .at_most(longest_wait)
            .from("pcie-bench: no difference between IOMMU off and hits"),
        field("flush_interval", &IommuConfig::flush_interval,
              "The whole IOTLB is invalidated at multiples of this, as Linux does for deferred unmaps (10 ms); 0: "
              "never")};
  }
};

/// The last-level cache of the socket of the root complex, as devices see it.
struct CacheConfig {
  Bytes size = Bytes{25 << 20};
  int ways = 20;
  int ddio_ways = 2;
  Duration miss_latency = std::chrono::nanoseconds{53};

  static constexpr auto fields() {
    return std::tuple{
        field("size", &CacheConfig::size, "Capacity; a multiple of 64 B times the ways")
            .at_least(Bytes{64 << 10})
            .at_most(Bytes{std::int64_t{4} << 30}),
        field("ways", &CacheConfig::ways, "Associativity").at_least(1).at_most(64),
        field("ddio_ways", &CacheConfig::ddio_ways,
              "Ways into which lines go that devices write and the cache does not hold; 0: such writes go to DRAM")
            .at_least(0)
            .at_most(64)
            .from("Intel, Data Direct I/O technology: two ways by default"),
        field("miss_latency", &CacheConfig::miss_latency,
              "What a read by a device takes longer when the cache does not hold the line; also a write that has to "
              "fetch or evict one")
            .from("fitted: pcie-bench, 64 B read latency, cold against warm, Broadwell")};
  }
};

/// DRAM by channels: an access takes the channel of its address.
struct ChannelsConfig {
  int count = 4;
  BitRate rate{150'000'000'000};
  Bytes interleave{256};
  int cpu_load_percent = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("count", &ChannelsConfig::count, "Memory channels of the socket").at_least(1).at_most(64),
        field("rate", &ChannelsConfig::rate, "One channel, both ways together")
            .at_least(BitRate{1'000'000'000})
            .from("DDR4-2400: 153.6 Gb/s"),
        field("interleave", &ChannelsConfig::interleave, "Bytes from one channel to the next")
            .at_least(Bytes{64})
            .at_most(Bytes{1 << 20})
            .from("assumed"),
        field("cpu_load_percent", &ChannelsConfig::cpu_load_percent,
              "Share of every channel that the cores' own traffic takes: accesses of devices last longer by 1 / (1 - "
              "share)")
            .at_least(0)
            .at_most(95)};
  }
};

/// What a root port can have in flight towards memory: throughput <= credits x 64 B / latency.
struct CreditsConfig {
  int write_credits = 92;
  Duration write_latency = std::chrono::nanoseconds{300};
  int read_credits = 164;
  Duration read_latency = std::chrono::nanoseconds{300};
  int cpu_load_percent = 0;

  static constexpr auto fields() {
    constexpr std::string_view study =
        "S. Agarwal et al., \"Understanding the host network\", SIGCOMM 2024: Cascade Lake";
    return std::tuple{
        field("write_credits", &CreditsConfig::write_credits, "Cache lines that are written at a time")
            .at_least(1)
            .at_most(65536)
            .from(study),
        field("write_latency", &CreditsConfig::write_latency, "How long a written line holds its credit, without load")
            .at_most(longest_wait)
            .from(study),
        field("read_credits", &CreditsConfig::read_credits, "Cache lines that are read at a time")
            .at_least(1)
            .at_most(65536)
            .from("S. Agarwal et al., SIGCOMM 2024: more than 164 on Cascade Lake, so this is the least"),
        field("read_latency", &CreditsConfig::read_latency,
              "How long a line that is read holds its credit, without load")
            .at_most(longest_wait)
            .from("assumed: as write_latency"),
        field("cpu_load_percent", &CreditsConfig::cpu_load_percent,
              "Share of the memory channels that the cores' own traffic takes: credits are held longer by 1 / (1 - "
              "share)")
            .at_least(0)
            .at_most(95)
            .from("assumed: one queue for all; the study sees writes of devices take 1.5 times as long under load")};
  }
};

/// What passes between devices below different root ports.
struct PeerConfig {
  BitRate write_rate{};
  BitRate read_rate{};
  Duration latency{};

  static constexpr auto fields() {
    return std::tuple{
        field("write_rate", &PeerConfig::write_rate,
              "Most payload that peers write to what is behind one root port; 0bps: no limit")
            .at_least(BitRate{}),
        field("read_rate", &PeerConfig::read_rate,
              "Most payload that peers read from what is behind one root port; 0bps: no limit")
            .at_least(BitRate{}),
        field("latency", &PeerConfig::latency, "What a request between peers takes longer than one to memory")
            .at_most(longest_wait)};
  }
};

/// Address Translation Services of a function: it translates its own addresses ahead, and keeps the translations.
struct AtsConfig {
  int entries = 1024;
  PageSize page_size = PageSize::small;
  std::optional<Duration> page_request{};

  static constexpr auto fields() {
    return std::tuple{
        field("entries", &AtsConfig::entries, "Translations that the function keeps")
            .at_least(1)
            .at_most(65536)
            .from("assumed"),
        field("page_size", &AtsConfig::page_size, "What one translation covers; no more than iommu.page_size"),
        field("page_request", &AtsConfig::page_request,
              "No page is resident: the host takes this long from the function's page request (PRI) to "
              "its response; absent: all are")};
  }
};

}  // namespace peerpath::device
