// Options of the inside of a host: address translation and the last-level cache. Each is a group of
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
        field("entries", &IommuConfig::entries, "IOTLB entries per root port")
            .at_least(1)
            .at_most(65536)
            .from("assumed: R. Neugebauer et al., SIGCOMM 2018, conclude 64 from where curves break"),
        field("ways", &IommuConfig::ways, "Associativity of the IOTLB; must divide `entries`. 0: fully associative")
            .at_least(0)
            .at_most(65536),
        field("replacement", &IommuConfig::replacement, "IOTLB replacement policy").from("assumed"),
        field("page_size", &IommuConfig::page_size,
              "Page size of IOMMU mappings, covered by one entry. 2MiB requires super-pages in the IOMMU and "
              "contiguous buffers"),
        field("walkers", &IommuConfig::walkers, "Concurrent page walks per root port; further misses queue")
            .at_least(1)
            .at_most(1024)
            .from("fitted: pcie-bench, 64 B transfers in a window of 64 MiB, Broadwell"),
        field("walk_latency", &IommuConfig::walk_latency, "Duration of a page walk, from its start to the translation")
            .at_most(longest_wait)
            .from("fitted: pcie-bench, read latency against the window, Broadwell"),
        field("hit_latency", &IommuConfig::hit_latency, "Latency added to every translated request")
            .at_most(longest_wait)
            .from("pcie-bench: no difference between IOMMU off and hits"),
        field("flush_interval", &IommuConfig::flush_interval,
              "Interval at which the whole IOTLB is invalidated, as Linux does for deferred unmaps (10 ms). 0: never")};
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
        field("size", &CacheConfig::size, "Capacity; a multiple of 64 B times `ways`")
            .at_least(Bytes{64 << 10})
            .at_most(Bytes{std::int64_t{4} << 30}),
        field("ways", &CacheConfig::ways, "Associativity").at_least(1).at_most(64),
        field("ddio_ways", &CacheConfig::ddio_ways,
              "Ways that device writes may allocate into (DDIO); 0: writes that miss go to DRAM")
            .at_least(0)
            .at_most(64)
            .from("Intel, Data Direct I/O technology: two ways by default"),
        field("miss_latency", &CacheConfig::miss_latency,
              "Latency added to a device read that misses, and to a write that must fetch or evict a line")
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
        field("count", &ChannelsConfig::count, "Number of memory channels of the socket").at_least(1).at_most(64),
        field("rate", &ChannelsConfig::rate, "Bandwidth of one channel, reads and writes together")
            .at_least(BitRate{1'000'000'000})
            .from("DDR4-2400: 153.6 Gb/s"),
        field("interleave", &ChannelsConfig::interleave, "Interleave granularity: consecutive bytes in one channel")
            .at_least(Bytes{64})
            .at_most(Bytes{1 << 20})
            .from("assumed"),
        field("cpu_load_percent", &ChannelsConfig::cpu_load_percent,
              "Share of each channel's bandwidth used by the cores; device accesses take 1 / (1 - share) times as long")
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
        field("write_credits", &CreditsConfig::write_credits, "Cache-line writes in flight per root port")
            .at_least(1)
            .at_most(65536)
            .from(study),
        field("write_latency", &CreditsConfig::write_latency,
              "Time that a write holds its credit on an idle memory system")
            .at_most(longest_wait)
            .from(study),
        field("read_credits", &CreditsConfig::read_credits, "Cache-line reads in flight per root port")
            .at_least(1)
            .at_most(65536)
            .from("S. Agarwal et al., SIGCOMM 2024: lower bound, more than 164 on Cascade Lake"),
        field("read_latency", &CreditsConfig::read_latency,
              "Time that a read holds its credit on an idle memory system")
            .at_most(longest_wait)
            .from("assumed: as write_latency"),
        field("cpu_load_percent", &CreditsConfig::cpu_load_percent,
              "Share of the memory bandwidth used by the cores; credits are held 1 / (1 - share) times as long")
            .at_least(0)
            .at_most(95)
            .from("assumed: one shared queue; in the study, device writes take 1.5 times as long under load")};
  }
};

/// How a root port commits writes without Relaxed Ordering to memory: in order, so throughput <= lines x 64 B /
/// latency.
struct OrderedWritesConfig {
  int lines = 92;
  Duration commit_latency = std::chrono::nanoseconds{300};

  static constexpr auto fields() {
    return std::tuple{
        field(
            "lines", &OrderedWritesConfig::lines,
            "Cache lines of writes without Relaxed Ordering that one root port has in flight until they are committed")
            .at_least(1)
            .at_most(65536)
            .from("assumed: the write credits of Cascade Lake, S. Agarwal et al., SIGCOMM 2024"),
        field("commit_latency", &OrderedWritesConfig::commit_latency,
              "Time from the arrival of such a line at the root port to its commit, which orders it before later ones")
            .at_most(longest_wait)
            .from("assumed: the write latency of Cascade Lake, S. Agarwal et al., SIGCOMM 2024")};
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
              "Maximum payload rate of peer writes to devices below one root port; 0bps: unlimited")
            .at_least(BitRate{}),
        field("read_rate", &PeerConfig::read_rate,
              "Maximum payload rate of peer reads from devices below one root port; 0bps: unlimited")
            .at_least(BitRate{}),
        field("latency", &PeerConfig::latency, "Extra latency of a peer request over a request to host memory")
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
        field("entries", &AtsConfig::entries, "Translations in the function's cache (ATC)")
            .at_least(1)
            .at_most(65536)
            .from("assumed"),
        field("page_size", &AtsConfig::page_size, "Memory covered by one cached translation; at most iommu.page_size"),
        field("page_request", &AtsConfig::page_request,
              "Time from the function's page request (PRI) to the host's response; no page is resident beforehand. "
              "Absent: all pages are resident")};
  }
};

}  // namespace peerpath::device
