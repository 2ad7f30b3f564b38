// A network scenario as typed values: hosts that are a rate and a buffer, switches, and RDMA between them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collective/buffers.hpp"
#include "collective/connections.hpp"
#include "collective/workload.hpp"
#include "network/switch_config.hpp"
#include "network/topologies/topologies.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "scenario/network/names.hpp"
#include "scenario/network/tcp_entries.hpp"
#include "transport/roce/fleet.hpp"

namespace peerpath::network_scenario {

using namespace literals;
using namespace std::chrono_literals;

/// A cable of a network that is written out.
struct CableEntry {
  std::string from, to;
  BitRate rate = 400_Gbps;
  Duration delay = 250ns;
  int count = 1;
  double loss = 0;
  std::vector<int> lost{};

  static constexpr auto fields() {
    using C = CableEntry;
    return std::tuple{
        field("from", &C::from, "Host or switch at one end"),
        field("to", &C::to, "Host or switch at the other end"),
        field("rate", &C::rate, "Rate in each direction").at_least(1_Gbps),
        field("delay", &C::delay, "One-way delay: 5 ns per metre plus both PHYs").at_most(10ms).from("assumed"),
        field("count", &C::count, "Number of parallel cables").at_least(1).at_most(64),
        field("loss", &C::loss, "Probability that a packet is lost, in each direction").at_least(0.0).at_most(1.0),
        field("lost", &C::lost, "Numbers of the packets from `from` to `to` that are lost, counted from 1")};
  }
};

/// One of the generators, or switches, hosts and cables by name.
struct Topology {
  std::optional<network::Clos> clos{};
  std::optional<network::FatTree> fat_tree{};
  std::optional<network::RailOptimised> rail_optimised{};
  std::optional<network::Dragonfly> dragonfly{};
  std::vector<std::string> hosts{}, switches{};
  std::vector<CableEntry> cables{};

  static constexpr auto fields() {
    using C = Topology;
    return std::tuple{field("clos", &C::clos, "Racks and spines, with optional aggregation switches"),
                      field("fat_tree", &C::fat_tree, "Three-layer fat tree of identical switches"),
                      field("rail_optimised", &C::rail_optimised, "One leaf per NIC of a server"),
                      field("dragonfly", &C::dragonfly, "Fully connected groups of routers"),
                      field("hosts", &C::hosts, "Host names; h0..h7 names eight"),
                      field("switches", &C::switches, "Switch names; s0..s7 names eight"),
                      field("cables", &C::cables, "Cables between hosts and switches")};
  }
};

enum class SourcePort : std::uint8_t { by_qp, by_pair };
constexpr std::array<EnumName<SourcePort>, 2> enum_names(SourcePort) {
  return {{{"by_qp", SourcePort::by_qp}, {"by_pair", SourcePort::by_pair}}};
}

/// What all NICs have.
struct Nics {
  int mtu = 4096;
  roce::DcqcnSet dcqcn = roce::DcqcnSet::off;
  roce::Recovery recovery = roce::Recovery::go_back_n;
  SourcePort source_port = SourcePort::by_qp;
  int window = 4096;
  int ack_every = 64;
  int retries = 7;
  Duration timeout = 67109us;
  Bytes buffer{2'000'000}, pause_above{1'000'000}, resume_below{900'000};
  int cnp_priority = 6;
  int translations = 0;
  Bytes translation_page{4096};
  Duration translation_miss = 1us;
  int contexts = 0;
  Duration context_miss = 1us;
  int message_rate = 200'000'000;
  int qp_message_rate = 8'000'000;
  Duration wqe_fetch{};

  static constexpr auto fields() {
    using C = Nics;
    return std::tuple{
        field("mtu", &C::mtu, "Path MTU: payload per packet, in bytes").at_least(256).at_most(4096),
        field("dcqcn", &C::dcqcn, "DCQCN parameter set, or off"),
        field("recovery", &C::recovery, "Packets retransmitted after a loss"),
        field("source_port", &C::source_port,
              "UDP source port, used by ECMP: one per queue pair, as Linux sets it, or one per pair of hosts"),
        field("window", &C::window, "Maximum number of unacknowledged packets per queue pair")
            .at_least(1)
            .at_most(1 << 20),
        field("ack_every", &C::ack_every,
              "Packets per acknowledgement; the last packet of a message is always acknowledged")
            .at_least(1),
        field("retries", &C::retries, "Transport retries before a queue pair fails").at_least(0).at_most(7),
        field("timeout", &C::timeout, "Local ACK timeout").at_least(1us).at_most(10s).from("4.096 us * 2^14"),
        field("buffer", &C::buffer, "Size of the receive buffer").at_least(64_KiB),
        field("pause_above", &C::pause_above, "Receive buffer level above which the NIC pauses its switch port")
            .at_least(0_B),
        field("resume_below", &C::resume_below, "Receive buffer level below which the NIC resumes its switch port")
            .at_least(0_B),
        field("cnp_priority", &C::cnp_priority,
              "Priority of congestion notification packets; data defaults to 3, acknowledgements use 6")
            .at_least(0)
            .at_most(7),
        field("translations", &C::translations,
              "Entries of the NIC's cache for memory translations (MTT); a write to an uncached page first reads its "
              "entry from host memory. 0: unlimited")
            .at_least(0)
            .at_most(1 << 24),
        field("translation_page", &C::translation_page, "Memory covered by one translation entry; a power of two")
            .at_least(4_KiB)
            .at_most(1_GiB),
        field("translation_miss", &C::translation_miss, "Time to fetch a translation entry over PCIe")
            .at_most(1ms)
            .from("assumed"),
        field("contexts", &C::contexts,
              "Entries of the NIC's cache for queue pair contexts; data for an uncached queue pair first reads its "
              "context from host memory. 0: unlimited")
            .at_least(0)
            .at_most(1 << 24),
        field("context_miss", &C::context_miss, "Time to fetch a queue pair context over PCIe")
            .at_most(1ms)
            .from("assumed"),
        field("message_rate", &C::message_rate,
              "Messages per second that a NIC starts, all queue pairs together. 0: unlimited")
            .at_least(0)
            .at_most(2'000'000'000)
            .from("data sheet of ConnectX-5"),
        field(
            "qp_message_rate", &C::qp_message_rate,
            "Messages per second that one queue pair starts: software posts them and the NIC processes them one after "
            "another. 0: unlimited")
            .at_least(0)
            .at_most(2'000'000'000)
            .from("ib_send_bw on a ConnectX-5, 64 B to 1 KiB (perftest pull request 98)"),
        field("wqe_fetch", &C::wqe_fetch,
              "Read of a posted work request from host memory over PCIe, before its message starts. 0ns: the request "
              "is written to the NIC together with the doorbell (BlueFlame, inlined WQEs)")
            .at_most(1ms)};
  }
};

/// Hosts whose memory takes in less than the wire brings: a GPU behind the wrong PCIe switch, MPS 128.
struct SlowHost {
  std::vector<std::string> hosts{};
  BitRate rate = 100_Gbps;

  static constexpr auto fields() {
    return std::tuple{
        field("hosts", &SlowHost::hosts, "Host names; h0..h7 names eight"),
        field("rate", &SlowHost::rate, "Rate at which the hosts' memory accepts received packets, headers included")
            .at_least(1_Gbps)};
  }
};

/// How a host's PCIe is simulated.
enum class Level : std::uint8_t {
  node,  ///< as rates and latencies fitted to it
  tlp,   ///< TLP by TLP, beside the network
};
constexpr std::array<EnumName<Level>, 2> enum_names(Level) { return {{{"node", Level::node}, {"tlp", Level::tlp}}}; }

/// Hosts of a kind, with the scenario of the PCIe of one of them.
struct NodeEntry {
  std::vector<std::string> hosts{};
  std::string scenario;
  Level level = Level::node;
  std::vector<std::string> set{};

  static constexpr auto fields() {
    using C = NodeEntry;
    return std::tuple{
        field("hosts", &C::hosts, "Host names; h0..h7 names eight"),
        field("scenario", &C::scenario,
              "Scenario of the PCIe of one such host: a name, or a file relative to this one. Its one `receive` entry, "
              "and a `transmit` entry if payload is sent from another place, select the NIC and the memory; the "
              "network supplies and requests their payload. Other traffic of that scenario runs beside it"),
        field("level", &C::level,
              "node: the host is reduced to rates and latencies, fitted to its PCIe under load. tlp: the PCIe of each "
              "host is simulated TLP by TLP beside the network"),
        field("set", &C::set, "Changes to that scenario, as with --set: links.gpu0.from=sw1")};
  }
};

/// The service of a queue pair.
enum class Transport : std::uint8_t {
  rc,  ///< reliable connection
  ud,  ///< unreliable datagram
};
constexpr std::array<EnumName<Transport>, 2> enum_names(Transport) {
  return {{{"RC", Transport::rc}, {"UD", Transport::ud}}};
}

/// Whence the size of a message.
enum class Sizes : std::uint8_t {
  fixed,
  web_search,  ///< of the flows of a web search cluster (Alizadeh et al. 2010), as HPCC's traffic generator has them
};
constexpr std::array<EnumName<Sizes>, 2> enum_names(Sizes) {
  return {{{"fixed", Sizes::fixed}, {"web_search", Sizes::web_search}}};
}

/// Messages from hosts to a host.
struct Rdma {
  std::string name;
  std::vector<std::string> from{}, to{};
  roce::Work operation = roce::Work::write;
  Bytes size = 64_KiB;
  int qps = 1;
  int outstanding = 16;
  int messages = 0;
  Duration start{};
  Duration interval{};
  bool fresh = false;
  Transport transport = Transport::rc;
  int receives = 0;
  Duration receive_time{};
  double load = 0;
  Sizes sizes = Sizes::fixed;
  Bytes registered{};
  int priority = 3;

  static constexpr auto fields() {
    using C = Rdma;
    return std::tuple{
        field("name", &C::name, "Name in metrics"),
        field("from", &C::from, "Hosts that post the work requests; h0..h7 names eight"),
        field("to", &C::to, "Hosts at the other end: one, or as many as `from` to form pairs"),
        field("operation", &C::operation, "Operation of each work request"),
        field("size", &C::size, "Message size").at_least(1_B).at_most(1_GiB),
        field("qps", &C::qps, "Queue pairs per pair of hosts").at_least(1).at_most(64),
        field("outstanding", &C::outstanding, "Messages posted and not yet complete per queue pair")
            .at_least(1)
            .at_most(4096),
        field("messages", &C::messages, "Number of messages per queue pair; 0: unlimited").at_least(0),
        field("start", &C::start, "Time of the first post").at_most(10s),
        field("interval", &C::interval, "Time between two messages; 0ns: the next is posted as soon as one completes")
            .at_most(10s),
        field(
            "fresh", &C::fresh,
            "With `interval`: sends each message on a new queue pair, with no rate reduction from earlier congestion"),
        field("transport", &C::transport,
              "RC: reliable connection. UD: datagrams of one packet without acknowledgement; a queue pair of each "
              "`from` host sends to the `to` hosts in turn"),
        field("receives", &C::receives,
              "UD: posted receive requests per `to` host; a datagram without one is dropped. 0: unlimited")
            .at_least(0)
            .at_most(1 << 20),
        field("receive_time", &C::receive_time,
              "UD: software time per datagram before its receive request is posted again")
            .at_most(10s),
        field("load", &C::load,
              "Offered payload of each `from` host in percent of its cable rate, with Poisson arrivals; each message "
              "goes to a random `to` host on a queue pair of its own. 0: `outstanding` or `interval` controls posting")
            .at_least(0.0)
            .at_most(100.0),
        field("sizes", &C::sizes,
              "With `load`: message sizes. fixed: all of `size`; web_search: the flow sizes of a web search cluster, "
              "mean 1.7 MB, half below 80 KB")
            .from("HPCC's traffic generator"),
        field("registered", &C::registered,
              "Memory that each queue pair writes to; each message goes to a random multiple of its size. 0: all "
              "messages use one address")
            .at_least(0_B),
        field("priority", &C::priority,
              "Priority of the data at `switches`: scheduling, marking and PFC; clear-to-send messages use 5, "
              "acknowledgements 6")
            .at_least(0)
            .at_most(4)};
  }
};

/// Links between the GPUs of a server.
struct Servers {
  int gpus = 1;
  BitRate nvlink{2'966'400'000'000};
  Duration nvlink_latency = 600ns;

  static constexpr auto fields() {
    using C = Servers;
    return std::tuple{
        field("gpus", &C::gpus,
              "GPUs per server, each a host of the network with its own NIC; h0 to h7 form the first of eight. GPUs of "
              "a server communicate over NVLink. 1: always over the network")
            .at_least(1)
            .at_most(256),
        field("nvlink", &C::nvlink, "Payload rate of a GPU's NVLink in each direction; NVLink 4 signals at 450 GB/s")
            .at_least(1_Gbps)
            .from("NCCL: 18 links of 20.6 GB/s"),
        field("nvlink_latency", &C::nvlink_latency, "One-way latency of an NVLink message")
            .at_most(1ms)
            .from("NCCL's tuning: LL over NVLink")};
  }
};

/// A collective of many ranks, once.
struct Collective {
  std::string name;
  collective::Exchange kind = collective::Exchange::all_reduce;
  collective::Algorithm algorithm = collective::Algorithm::ring;
  std::vector<std::string> hosts{};
  Bytes bytes = 64_MiB;
  bool hierarchical = false;
  int root = 0;
  std::vector<Bytes> sizes{};
  Bytes token{};
  int skew = 0;
  int rings = 1;
  int channels = 1;
  int slices = 8;
  std::optional<collective::Buffers> buffers{};
  collective::Protocol protocol = collective::Protocol::simple;
  int qps = 1;
  collective::QpUse qp_use = collective::QpUse::round_robin;
  int window = 4;
  int clear_to_send = 0;
  Duration start{};

  static constexpr auto fields() {
    using C = Collective;
    return std::tuple{
        field("name", &C::name, "Name in metrics"),
        field("kind", &C::kind, "Kind of collective"),
        field("algorithm", &C::algorithm,
              "ring: one pass, all_reduce two; broadcast and reduce along a chain, gather and scatter directly from or "
              "to the root. tree: all_reduce over two binary trees, broadcast and reduce over a binomial tree"),
        field("hosts", &C::hosts, "Hosts in rank order; h0..h7 names eight"),
        field("bytes", &C::bytes,
              "Bytes per rank as nccl-tests counts them; all_gather: size of the result; gather: size of the result at "
              "the root")
            .at_least(1_KiB)
            .at_most(64_GiB),
        field("hierarchical", &C::hierarchical,
              "all_reduce, all_gather, reduce_scatter: NVLink rings within each of `servers`, and a ring or trees "
              "between servers for each GPU index. all_to_all: messages first move to the GPU on the destination's "
              "rail over NVLink (PXN) and are sent together"),
        field("root", &C::root, "broadcast, reduce, gather, scatter: index of the root in `hosts`")
            .at_least(0)
            .at_most(most_names),
        field("sizes", &C::sizes,
              "all_to_all: message sizes as a matrix in row order: first host to all, second host to all, and so on. "
              "Absent: `bytes` in equal parts"),
        field("token", &C::token,
              "all_to_all: token size; `bytes` consists of tokens that each go to a random host, as in a "
              "mixture-of-experts layer with one expert per host. 0: equal parts")
            .at_least(0_B)
            .at_most(64_MiB),
        field("skew", &C::skew,
              "With `token`: Zipf exponent of expert popularity, so that the k-th most popular receives 1 / k^skew; 0: "
              "uniform")
            .at_least(0)
            .at_most(3),
        field("rings", &C::rings,
              "all_reduce, all_gather, reduce_scatter: number of rings or trees, each over every rings-th host with an "
              "equal share of the bytes; models NCCL channels that use one NIC per server each")
            .at_least(1)
            .at_most(16),
        field("channels", &C::channels,
              "Parallel copies of each ring, each with its own queue pairs and an equal share of the bytes")
            .at_least(1)
            .at_most(64),
        field("slices", &C::slices,
              "Without `buffers`: number of pipelined slices; not used by all_to_all, gather and scatter")
            .at_least(1)
            .at_most(1024)
            .from("NCCL_STEPS"),
        field("buffers", &C::buffers,
              "NCCL buffers: messages are sent in slices, and a sender is at most one buffer ahead of its receiver. "
              "Absent: unlimited"),
        field("protocol", &C::protocol,
              "NCCL protocol. Simple: no overhead; LL: as many bytes of flags as data; LL128: 8 of every 128 bytes are "
              "flags")
            .from("NCCL_PROTO"),
        field("qps", &C::qps, "Queue pairs per connection").at_least(1).at_most(64),
        field("qp_use", &C::qp_use, "Distribution of messages over the queue pairs"),
        field("window", &C::window, "all_to_all, scatter: messages in flight per rank").at_least(1).at_most(1024),
        field(
            "clear_to_send", &C::clear_to_send,
            "Messages that a receiver admits at a time, each with a 64 B message in priority 5; 0: senders do not wait")
            .at_least(0)
            .at_most(1024),
        field("start", &C::start, "Start time").at_most(10s)};
  }
};

/// What the ranks of a job did, from files, once.
struct TraceEntry {
  std::string name, file;
  std::vector<std::string> hosts{};
  collective::Algorithm all_reduce = collective::Algorithm::ring;
  int slices = 8;
  Bytes least_slice = 64_KiB;
  int qps = 1;
  collective::QpUse qp_use = collective::QpUse::round_robin;
  int window = 4;
  int clear_to_send = 0;
  Duration start{};

  static constexpr auto fields() {
    using C = TraceEntry;
    return std::tuple{
        field("name", &C::name, "Name in metrics"),
        field("file", &C::file,
              "Execution trace of each rank, relative to this file; {rank} is replaced by the rank number from 0, "
              "without it all ranks share one file. MLCommons Chakra protobuf, or JSON with the same nodes if the name "
              "ends in .json"),
        field("hosts", &C::hosts, "Hosts in rank order; h0..h7 names eight"),
        field("all_reduce", &C::all_reduce, "Algorithm of every AllReduce"),
        field("slices", &C::slices, "Maximum number of pipelined slices; not used by ALL_TO_ALL")
            .at_least(1)
            .at_most(1024)
            .from("NCCL_STEPS"),
        field("least_slice", &C::least_slice, "Minimum size of a slice").at_least(1_B).from("assumed"),
        field("qps", &C::qps, "Queue pairs per connection").at_least(1).at_most(64),
        field("qp_use", &C::qp_use, "Distribution of messages over the queue pairs"),
        field("window", &C::window, "ALL_TO_ALL: messages in flight per rank").at_least(1).at_most(1024),
        field("clear_to_send", &C::clear_to_send,
              "Messages of a collective that a receiver admits at a time, each with a 64 B message in priority 5; a "
              "point-to-point message waits until its receive is posted. 0: senders do not wait")
            .at_least(0)
            .at_most(1024),
        field("start", &C::start, "Start time").at_most(10s)};
  }

  collective::WorkloadConfig workload_config() const {
    return {.all_reduce = all_reduce, .slices = slices, .window = window, .least_slice = least_slice};
  }
};

/// A cable goes out of service or comes back.
struct CableEvent {
  Duration at{};
  std::string from, to;
  bool up = false;

  static constexpr auto fields() {
    using C = CableEvent;
    return std::tuple{field("at", &C::at, "Time of the event").at_most(10s),
                      field("from", &C::from, "Host or switch at one end of the first cable"),
                      field("to", &C::to, "Host or switch at the other end"),
                      field("up", &C::up, "Whether the cable returns to service; otherwise it fails")};
  }
};

/// In what detail messages cross a network.
enum class NetworkLevel : std::uint8_t {
  packets,  ///< each packet through the queues of switches
  flows     ///< each message a flow, which shares cables with others
};
constexpr std::array<EnumName<NetworkLevel>, 2> enum_names(NetworkLevel) {
  return {{{"packets", NetworkLevel::packets}, {"flows", NetworkLevel::flows}}};
}

struct RunLength {
  NetworkLevel level = NetworkLevel::packets;
  std::optional<Duration> warmup{}, measure{};  ///< found unless given (window.hpp)
  double precision = 1;
  Duration at_most = 100ms;
  int seed = 1;
  Duration patience = 200us;

  static constexpr auto fields() {
    using C = RunLength;
    return std::tuple{
        field("level", &C::level,
              "packets: every packet is queued and scheduled. flows: messages share cables max-min fairly, without "
              "queues, losses, marks or pauses; for very large networks"),
        field("warmup", &C::warmup,
              "Simulated time before counting starts. Absent: until the run is steady, or 0 where it cannot be: "
              "collectives, traces, events, and traffic that ends")
            .at_most(10s),
        field("measure", &C::measure,
              "Simulated time that counts; collectives may end it earlier. Absent: until the 95 % intervals of goodput "
              "and median latency are within `precision`. Where the run cannot be steady: until all has ended, within "
              "`at_most`, or 1ms if something never ends")
            .at_least(1us)
            .at_most(10s),
        field("precision", &C::precision,
              "Largest 95 % interval of each goodput and median latency, to either side, in percent of the value")
            .at_least(0.001)
            .at_most(100),
        field("at_most", &C::at_most,
              "Simulated time after which a run ends that looks for its warm-up or its measured window; it then warns "
              "about each value that is not steady")
            .at_least(100us)
            .at_most(10s),
        field("seed", &C::seed, "Seed of every random stream in the run").at_least(0),
        field("patience", &C::patience,
              "Time without progress in a cycle of paused queues after which it is reported as a deadlock")
            .at_least(1us)};
  }
};

/// A whole one.
struct NetworkScenario {
  std::string name;  ///< path below scenarios/ without .json, or the file's stem
  std::string description, source;
  Topology network;
  network::SwitchConfig switches;
  Nics nics;
  Servers servers;
  std::vector<SlowHost> slow_hosts;
  std::vector<NodeEntry> nodes;
  std::vector<Rdma> rdma;
  std::vector<Collective> collectives;
  std::vector<TraceEntry> traces;
  tcp::Config tcp_stack;
  tcp::HostConfig tcp_hosts;
  std::vector<Tcp> tcp;
  std::vector<CableEvent> events;
  RunLength run;
  std::vector<scenario::Expectation> expect;
  scenario::Sweep sweep;
};

}  // namespace peerpath::network_scenario
