// The results of a run. A shell (models/sc) fills `Results` with counts; `finish` (models/observe) derives every named
// metric, the bottleneck, the way of the payload and the verdicts from them, so that a name has one origin.
//
// Names of metrics, the same in `expect`, the result table and results.json:
//
//   <traffic>.offered_gbps  .goodput_gbps  .offered_packets  .delivered_packets  .dropped_packets  .payload_bytes
//   <traffic>.failed_transfers  .all_ones_bytes  .lost_bytes
//   <traffic>.queued_at_begin_bytes  .queued_at_end_bytes
//   <traffic>.payload_crossings        links that the average byte of the entry crossed; .<link>.payload_crossings: one
//   <traffic>.loss_percent  .latency_{min,mean,p50,p90,p99,p999,max}_ns
//   <traffic>.latency_<stage>_{p50,p99}_ns    <stage>: pipeline or post, descriptor, dma, writeback, moderation, driver
//
//   <link>.<up|down>.<purpose>_bytes   payload header descriptor completion_entry doorbell interrupt control
//   retransmission <link>.<up|down>.overhead_bytes  .dllp_bytes  .wire_bytes  .tlps  .dllps  .payload_gbps  .wire_gbps
//   <link>.<up|down>.utilisation_percent  .queued_tlps  .credit_stall_percent  .replays
//   <link>.payload_crossings           payload bytes on both directions, over all payload delivered: 0 is "not at all"
//   <host cpu>.cores_busy  .utilisation_percent  .copied_bytes  .copied_gbps
//   <host memory>.read_bytes  .written_bytes  .read_gbps  .written_gbps  .utilisation_percent      (a GPU's memory too)
//   <device>.<anything else>           added by the shell itself to `metrics`: nic0.interrupts, nic0.rx_fifo_peak_bytes
//   run.simulated_ns  .blocked_queues  .deadlock_cycle
//
// <traffic> is the traffic entry's name. <link> is "<farther device>-<nearer device>" without ports: "switch0-rc0" is
// the upstream link of switch0. `up` is towards the root complex. A name carries its unit. All counts are of the
// measured window (after warm-up). `header` is protocol headers split from payload; TLP headers and framing are
// `overhead`.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/observe/histogram.hpp"
#include "peerpath/pcie/tlp.hpp"

namespace peerpath::observe {

/// An exact decimal number: `digits` times ten to the power of minus `places`. Results hold no binary fractions, so
/// they print the same everywhere.
struct Decimal {
  std::int64_t digits = 0;
  int places = 0;

  double value() const;
  bool operator==(const Decimal&) const = default;
};

/// The number as text without trailing zeros: "195.7", "0", "-1.25".
std::string to_string(Decimal number);

/// numerator / denominator, rounded half up to `places` decimals; 0 for a denominator of 0. Computed in 128 bits.
Decimal quotient(WideInt numerator, WideInt denominator, int places);

/// One named number.
struct Metric {
  std::string name;
  std::string unit;              ///< "Gb/s", "ns", "B", "%", "1" (a count or a ratio)
  std::optional<Decimal> value;  ///< none where nothing was measured: the latency of no packets
  std::string doc;
  std::optional<Decimal> half_width{};  ///< of its 95 % confidence interval, where there is one
};

/// A 95 % confidence interval: the metric's value, and as much to either side.
struct Interval {
  std::string metric;
  Decimal half_width{};
};

/// Whether what was measured had settled, and how well it is known.
struct SteadyState {
  bool judged = false;  ///< false: traffic that ends by itself, captures and events are not steady by their nature
  bool found = false;   ///< warm-up, measured window or both were not given but found
  std::vector<Interval> intervals;
  std::vector<std::string> warnings;  ///< a sentence for each metric that has not settled; empty is good
};

enum class Direction : std::uint8_t { up, down };  ///< towards the root complex, and away from it
constexpr std::array<EnumName<Direction>, 2> enum_names(Direction) {
  return {{{"up", Direction::up}, {"down", Direction::down}}};
}

/// One line of the byte ledger: TLPs and bytes on one direction of one link for one requester and purpose.
struct LedgerRow {
  std::string requester;  ///< device whose transaction it is; completions count for the requester, not the completer
  pcie::Purpose purpose{};
  std::int64_t tlps = 0;
  Bytes payload{};   ///< data bytes, as padded to double words
  Bytes overhead{};  ///< TLP headers, digests, framing
};

/// One direction of one link in the measured window.
struct LinkDirectionResult {
  std::vector<LedgerRow> rows;  ///< those that are not all zero
  std::int64_t dllps = 0;
  BitRate rate{};
  Duration busy{};        ///< serialising TLPs
  Duration signalling{};  ///< sending DLLPs
  Duration replaying{};   ///< taken by transmissions that failed, up to their replay
  Duration ahead{};       ///< part of these three beyond the window's end, less the part that began before the window
  Duration queueing{};
  Duration credit_stall{};
  std::int64_t replays = 0;
};

struct LinkResult {
  std::string name;  ///< "<farther>-<nearer>"
  std::string nearer, farther;
  std::string shape;  ///< "Gen5 x16"
  LinkDirectionResult up, down;
};

/// A part of the way of a packet, from one moment that can be observed to the next: the stages of a packet sum to its
/// latency.
struct StageResult {
  std::string name;  ///< "dma"
  std::string doc;   ///< from what to what
  Histogram time;    ///< of one packet in `run.stage_interval`
};

/// One traffic entry in the measured window.
struct TrafficResult {
  std::string name;
  std::string kind;  ///< as scenario::Traffic::kind() spells it
  std::string path;  ///< spelling of scenario::DataPath
  std::string from, to;
  std::vector<std::string> requesters;  ///< functions that move its payload: nic0, and for a bounce gpu0 as well
  std::int64_t offered_packets = 0;     ///< frames or transfers
  std::int64_t delivered_packets = 0;
  std::int64_t dropped_packets = 0;
  Bytes offered_payload{};
  Bytes delivered_payload{};                ///< user bytes that came to their destination
  Bytes waiting_before{}, waiting_after{};  ///< offered and not yet there, as the window began and ended
  std::vector<Bytes> crossed;               ///< payload on both directions of each of Results::links
  std::int64_t failed_transfers = 0;        ///< transactions that did not end in success
  Bytes all_ones{};                         ///< reads that failed: the requester finds ones in every bit
  Bytes lost{};                             ///< writes that no completer took
  Histogram latency;  ///< receive: last bit on the wire to payload and completion usable; else issue to done
  std::vector<StageResult> stages;  ///< of `latency`, in order
  std::int64_t slots = 0;  ///< transfers that it may have in flight at a time; 0: nothing of the kind is counted
  Duration held{};         ///< time in flight, summed over its transfers
  std::string limit;       ///< what limits it, found by `finish`: "link sw0-rc up", "the arrival rate"
};

/// Cores of a host.
struct CpuResult {
  std::string name;
  int cores = 0;
  Duration busy{};  ///< summed over the cores
  Bytes copied{};
  Duration busiest{};                            ///< the core that had most to do
  std::map<std::string, Duration> busiest_of{};  ///< the same of the cores that serve a traffic entry's queues
};

/// A memory: host DRAM, or a GPU's.
struct MemoryResult {
  std::string name;
  Bytes read{}, written{};
  BitRate read_rate{}, write_rate{};
  Bytes own_read{}, own_written{};  ///< of these, by the device itself, whose accesses the rates do not limit
};

/// Memory that traffic registered in a GPU's window.
struct Bar1Registration {
  std::string traffic;  ///< names of its entries, with commas
  Bytes registered{}, mapped{};
  std::string verdict;  ///< spelling of scenario::Bar1Verdict
  bool fits = true;     ///< all of it is mapped
  std::string said;     ///< a sentence
};

/// The window through which peers reach a GPU's memory.
struct Bar1Result {
  std::string gpu;
  Bytes size{}, used{}, reserved{};
  std::vector<Bar1Registration> registrations;
  std::int64_t remaps = 0;
  Duration waiting{};  ///< of the transfers that caused them, summed
};

/// Anything that can be the limit and is not a link, CPU or memory: an Ethernet port, a DMA engine, a pool of tags.
struct Resource {
  std::string name;  ///< "nic0 Ethernet port"
  Duration busy{};
  Duration capacity{};    ///< `busy` that would be 100 %: the window times the number of units
  bool entrance = false;  ///< offered traffic enters here: full use is wanted, it never holds traffic back
  Duration asked{};       ///< of units that are held from request to answer: `busy` and what waited for a unit; else 0
};

/// Something that went wrong in the modelled hardware: drops, unsupported requests, time-outs. A value, not an error.
struct Fault {
  std::string device;
  std::string what;  ///< "completion timeout", "frame dropped: no buffer"
  std::int64_t count = 0;
  Instant first{};
};

enum class ErrorSeverity : std::uint8_t { correctable, non_fatal, fatal };
constexpr std::array<EnumName<ErrorSeverity>, 3> enum_names(ErrorSeverity) {
  return {{{"correctable", ErrorSeverity::correctable},
           {"non_fatal", ErrorSeverity::non_fatal},
           {"fatal", ErrorSeverity::fatal}}};
}

/// An event of the scenario that came to pass.
struct EventRecord {
  Instant at{};
  std::string what;
};

/// What Advanced Error Reporting of a device would have recorded (PCIe Base Spec 6.2 and 7.8.4).
struct ErrorRecord {
  std::string device;
  ErrorSeverity severity{};
  std::string error;  ///< name of the bit in the status register: "Poisoned TLP Received Status"
  std::int64_t count = 0;
  std::optional<Instant> first{};                        ///< of the first, where it is known
  std::optional<std::array<std::uint32_t, 4>> header{};  ///< header log of the first
};

/// A queue whose first TLP can never leave.
struct BlockedQueue {
  std::string place;      ///< "switch0 port towards gpu0"
  std::string tlp;        ///< its first: "completion from gpu0 to nic0"
  std::string waits_for;  ///< "completion credits of switch0 -> nic0"
};

/// Why a run ended before its time: queues that wait in a circle or for credits that are lost.
struct DeadlockResult {
  Instant found{};
  std::vector<BlockedQueue> blocked;
  std::vector<std::size_t> cycle;  ///< numbers of `blocked`: each waits for the next, the last for the first
};

enum class Verdict : std::uint8_t { ok, failed };

/// A checked `expect` entry.
struct ExpectationResult {
  std::string metric;
  std::string wanted;            ///< "= 195.7 +-0.5 %", ">= 190"
  std::optional<Decimal> found;  ///< the metric's value; without one nothing that is wanted holds
  std::string unit;
  Verdict verdict{};
  std::string said{};  ///< found where it is no number
};

/// How busy something was; the busiest one is the bottleneck.
struct Utilisation {
  std::string name;
  Decimal percent;
};

/// What became of one traffic entry in a rerun.
struct FlowChange {
  std::string traffic;
  Decimal goodput_percent{};             ///< change of the payload that arrived; 0: as before
  Decimal half_width{};                  ///< of its 95 % interval, in percent too
  std::optional<Decimal> p99_percent{};  ///< of the latency; none where nothing arrived
};

/// A run in which one thing was changed.
struct Rerun {
  std::vector<FlowChange> flows{};
  std::string problem{};  ///< why there is none, or how it ended: "cannot be halved: ..."; "" if it ran
};

/// One thing that was doubled and halved. Of a time, "doubled" is half of it: more of what it stands for.
struct WhatIfRow {
  std::string name;    ///< as the sentence of the bottleneck names it, or a key
  std::string keys;    ///< of the scenario that were changed: "devices.nic0.prefetch"
  std::string source;  ///< provenance of the value
  Rerun doubled{}, halved{};
  Decimal weight{};  ///< largest change of a goodput or a p99 latency, without sign
};

/// What a scenario's results hang on, found by changing it.
struct WhatIf {
  std::vector<WhatIfRow> suspects{};     ///< most suspicious first
  std::vector<WhatIfRow> assumptions{};  ///< values that are assumed and matter, heaviest first
  std::int64_t without_weight = 0;       ///< further assumed values, which change nothing by 1 % or more
};

/// What limits some traffic entries.
struct LimitResult {
  std::string name;                  ///< "link sw0-rc up"
  std::string how;                   ///< why it is taken for the limit: ", busy 99.8 % of the time"
  std::vector<std::string> traffic;  ///< entries that it limits
  std::string proof{};               ///< what reruns showed: "; doubled, it gives rx3 13 % more"
};

/// One run. The first part is filled by the shell, the second by `finish`.
struct Results {
  Duration warmup{};         ///< simulated before the measured window
  Duration window{};         ///< measured time that was really simulated
  Duration wanted_window{};  ///< that the scenario asks for
  bool complete = true;      ///< false after an interrupt: all counts are of the time until then
  std::vector<TrafficResult> traffic;
  std::vector<LinkResult> links;
  std::vector<CpuResult> cpus;
  std::vector<MemoryResult> memories;
  std::vector<Bar1Result> windows;
  std::vector<Resource> resources;
  std::vector<EventRecord> events;
  std::vector<Fault> faults;
  std::vector<ErrorRecord> errors;
  std::optional<DeadlockResult> deadlock;
  std::optional<std::vector<std::string>> protocol;  ///< violations; none: not checked
  std::vector<Metric> metrics;                       ///< in: the shell's own; out: those of the list above first
  std::vector<std::string> conservation;  ///< violations of the byte ledger (models/observe/ledger.hpp); empty is good

  SteadyState steady;
  std::vector<std::string> ways;         ///< for each traffic entry, which way its payload went, as a sentence
  std::vector<Utilisation> utilisation;  ///< busiest first
  std::string bottleneck;                ///< one sentence
  std::string limit;                     ///< what it names first: "link sw0-rc up", "the arrival rate"
  std::vector<LimitResult> limits;       ///< of the entries that fall short, the most payload lost first
  std::vector<std::string> flattered;    ///< assumptions of the run that flatter its figures and that real machines may
                                         ///< not meet, a sentence each
  std::vector<std::string> warnings{};   ///< losses of speed that devices have counted, a sentence each
  std::optional<WhatIf> what_if;         ///< only of a run with --what-if
  std::vector<ExpectationResult> expectations;
};

/// The metric called `name`, or nullptr.
const Metric* find_metric(const Results& results, const std::string& name);

}  // namespace peerpath::observe
