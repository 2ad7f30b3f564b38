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
        field("from", &C::from, "A host or switch"),
        field("to", &C::to, "The other end"),
        field("rate", &C::rate, "Each way").at_least(1_Gbps),
        field("delay", &C::delay, "One way: 5 ns a metre, and the PHYs").at_most(10ms).from("assumed"),
        field("count", &C::count, "Cables side by side").at_least(1).at_most(64),
        field("loss", &C::loss, "Share of packets that are lost, each way").at_least(0.0).at_most(1.0),
        field("lost", &C::lost, "Numbers, from 1, of the packets that are lost on the way from `from` to `to`")};
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
    return std::tuple{field("clos", &C::clos, "Racks, spines, aggregation"),
                      field("fat_tree", &C::fat_tree, "Three layers of switches with one number of ports"),
                      field("rail_optimised", &C::rail_optimised, "A leaf for each NIC of a server"),
                      field("dragonfly", &C::dragonfly, "Groups of routers"),
                      field("hosts", &C::hosts, "Names; h0..h7 is eight of them"),
                      field("switches", &C::switches, "Names, likewise"),
                      field("cables", &C::cables, "Between those")};
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

  static constexpr auto fields() {
    using C = Nics;
    return std::tuple{
        field("mtu", &C::mtu, "Path MTU: payload of a packet").at_least(256).at_most(4096),
        field("dcqcn", &C::dcqcn, "Set of DCQCN parameters, or off"),
        field("recovery", &C::recovery, "What is sent again after a loss"),
        field("source_port", &C::source_port,
              "UDP source port: by queue pair, as Linux sets it, or one for all queue pairs of two hosts"),
        field("window", &C::window, "Packets of a queue pair without acknowledgement").at_least(1).at_most(1 << 20),
        field("ack_every", &C::ack_every, "Packets; the last of a message is always acknowledged").at_least(1),
        field("retries", &C::retries, "Of the transport, until a queue pair fails").at_least(0).at_most(7),
        field("timeout", &C::timeout, "Local ACK timeout").at_least(1us).at_most(10s).from("4.096 us * 2^14"),
        field("buffer", &C::buffer, "Receive buffer").at_least(64_KiB),
        field("pause_above", &C::pause_above, "Filled so far, it pauses its switch").at_least(0_B),
        field("resume_below", &C::resume_below, "Drained so far, it resumes it").at_least(0_B),
        field("cnp_priority", &C::cnp_priority, "Of congestion notification packets; data has 3, acknowledgements 6")
            .at_least(0)
            .at_most(7),
        field(
            "translations", &C::translations,
            "Entries of the table of registered memory (MTT) that the NIC keeps; of another page that a write goes to "
            "the entry is read from host memory first. 0: it keeps all")
            .at_least(0)
            .at_most(1 << 24),
        field("translation_page", &C::translation_page, "What an entry is about; a power of two")
            .at_least(4_KiB)
            .at_most(1_GiB),
        field("translation_miss", &C::translation_miss, "Until such an entry is there: a read over PCIe")
            .at_most(1ms)
            .from("assumed"),
        field("contexts", &C::contexts,
              "Contexts of queue pairs that the NIC keeps; of another one that data arrives for the context is read "
              "from host memory first. 0: it keeps all")
            .at_least(0)
            .at_most(1 << 24),
        field("context_miss", &C::context_miss, "Until such a context is there: a read over PCIe")
            .at_most(1ms)
            .from("assumed")};
  }
};

/// Hosts whose memory takes in less than the wire brings: a GPU behind the wrong PCIe switch, MPS 128.
struct SlowHost {
  std::vector<std::string> hosts{};
  BitRate rate = 100_Gbps;

  static constexpr auto fields() {
    return std::tuple{field("hosts", &SlowHost::hosts, "Names; h0..h7 is eight of them"),
                      field("rate", &SlowHost::rate, "At which their memory takes in what arrives, headers included")
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
        field("hosts", &C::hosts, "Names; h0..h7 is eight of them"),
        field("scenario", &C::scenario,
              "Of the PCIe of one such host: a file, relative to this one, or a name. It has one `receive` entry, and "
              "one `transmit` entry if payload is sent from elsewhere than where it goes: they say which NIC and which "
              "memory it is; the network brings and asks for the payload. Its other traffic goes on meanwhile"),
        field("level", &C::level,
              "node: the host is rates and latencies, fitted to its PCIe under load. tlp: the PCIe of each such host "
              "is simulated beside the network, TLP by TLP"),
        field("set", &C::set, "Changes to it, as --set has them: links.gpu0.from=sw1")};
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
        field("name", &C::name, "How metrics call it"),
        field("from", &C::from, "Hosts that post the work requests; h0..h7 is eight of them"),
        field("to", &C::to, "Hosts at the other end: one, or as many as `from`, which are paired off"),
        field("operation", &C::operation, "What a work request does"),
        field("size", &C::size, "Of a message").at_least(1_B).at_most(1_GiB),
        field("qps", &C::qps, "Queue pairs of each two hosts").at_least(1).at_most(64),
        field("outstanding", &C::outstanding, "Messages of a queue pair that are posted at a time")
            .at_least(1)
            .at_most(4096),
        field("messages", &C::messages, "Of a queue pair, all in all; 0: it goes on").at_least(0),
        field("start", &C::start, "When the first is posted").at_most(10s),
        field("interval", &C::interval, "Time between two messages; 0ns: as soon as one is over").at_most(10s),
        field("fresh", &C::fresh,
              "With an interval: each message on a queue pair of its own, which nothing has slowed"),
        field(
            "transport", &C::transport,
            "RC: reliable connections. UD: datagrams of one packet, which nobody acknowledges; a queue pair of a host "
            "of `from` sends to the hosts of `to` in turn"),
        field("receives", &C::receives,
              "UD: receive requests of a host of `to`; a datagram that finds none is lost. 0: there is always one")
            .at_least(0)
            .at_most(1 << 20),
        field("receive_time", &C::receive_time,
              "UD: what software takes for each datagram before it posts its receive request again")
            .at_most(10s),
        field("load", &C::load,
              "Percent of its cable that each host of `from` offers as payload, by Poisson arrivals: each message goes "
              "to a host of `to` by chance, on a queue pair of its own. 0: `outstanding` or `interval` say when")
            .at_least(0.0)
            .at_most(100.0),
        field("sizes", &C::sizes,
              "With a load. fixed: all of `size`. web_search: drawn from the flows of a web search cluster, 1.7 MB in "
              "the mean, half of them below 80 KB")
            .from("HPCC's traffic generator"),
        field("registered", &C::registered,
              "Memory that each queue pair writes into: each message goes to a place by chance, at a multiple of its "
              "size; 0: all to one place")
            .at_least(0_B),
        field("priority", &C::priority,
              "Of its data, which `switches` schedule, mark and pause by; clearances have 5, acknowledgements 6")
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
              "Of a server, each a host of the network with its NIC: h0 to h7 are the first of eight. What they send "
              "each other goes by NVLink. 1: by the network")
            .at_least(1)
            .at_most(256),
        field("nvlink", &C::nvlink, "Payload of a GPU, each way; NVLink 4 has 450 GB/s, of which this comes through")
            .at_least(1_Gbps)
            .from("NCCL: 18 links of 20.6 GB/s"),
        field("nvlink_latency", &C::nvlink_latency, "Of a message, one way")
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
        field("name", &C::name, "How metrics call it"),
        field("kind", &C::kind, "Which one"),
        field(
            "algorithm", &C::algorithm,
            "ring: once round, all_reduce twice; broadcast and reduce along a chain, gather and scatter straight to or "
            "from the root. tree: all_reduce over two binary trees, those with a root over a binomial one"),
        field("hosts", &C::hosts, "Ranks, in order; h0..h7 is eight of them"),
        field(
            "bytes", &C::bytes,
            "Of a rank, as nccl-tests counts them: what it has in the end of an all_gather; of a gather what the root "
            "has in the end")
            .at_least(1_KiB)
            .at_most(64_GiB),
        field("hierarchical", &C::hierarchical,
              "all_reduce, all_gather, reduce_scatter: round the GPUs of each of `servers` by NVLink, and between them "
              "a ring, or trees, for each GPU of a server. all_to_all: messages change GPUs by NVLink so that none "
              "changes rails outside (PXN), and go on together"),
        field("root", &C::root, "broadcast, reduce, gather, scatter: place in `hosts`").at_least(0).at_most(most_names),
        field("sizes", &C::sizes,
              "all_to_all: of the message of each host to each, row by row: of the first host to all, of the second to "
              "all, and so on. None: `bytes` in equal parts"),
        field("token", &C::token,
              "all_to_all: `bytes` are tokens of this size, and each goes to a host by chance, as a layer of experts "
              "has it, one at each host. 0: equal parts")
            .at_least(0_B)
            .at_most(64_MiB),
        field("skew", &C::skew,
              "With tokens: the k-th most asked of the experts is asked as 1 / k^skew (Zipf); 0: all alike")
            .at_least(0)
            .at_most(3),
        field("rings", &C::rings,
              "all_reduce, all_gather, reduce_scatter: rings, or trees, of every rings-th host, each with its share of "
              "the bytes, as NCCL's "
              "channels go over one NIC of a server each")
            .at_least(1)
            .at_most(16),
        field("channels", &C::channels,
              "Of each ring: so many of it side by side, each with its share of the bytes and its own queue pairs")
            .at_least(1)
            .at_most(64),
        field("slices", &C::slices,
              "Without `buffers`: parts that go one behind the other; all_to_all, gather and scatter have none")
            .at_least(1)
            .at_most(1024)
            .from("NCCL_STEPS"),
        field(
            "buffers", &C::buffers,
            "NCCL's buffers: slices of a size, and senders that are a buffer ahead of their receivers at most. Without "
            "it nothing limits that"),
        field("protocol", &C::protocol, "Simple: data alone. LL: as much again in flags. LL128: 8 bytes of each 128")
            .from("NCCL_PROTO"),
        field("qps", &C::qps, "Queue pairs of a connection").at_least(1).at_most(64),
        field("qp_use", &C::qp_use, "How messages are laid on them"),
        field("window", &C::window, "all_to_all, scatter: messages of a rank on their way at a time")
            .at_least(1)
            .at_most(1024),
        field("clear_to_send", &C::clear_to_send,
              "Messages that a receiver admits at a time, each by a message of 64 B in priority 5; 0: senders do not "
              "wait for that")
            .at_least(0)
            .at_most(1024),
        field("start", &C::start, "When").at_most(10s)};
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
        field("name", &C::name, "How metrics call it"),
        field(
            "file", &C::file,
            "An execution trace of each rank, relative to this file: {rank} stands for its number, from 0; without it "
            "all "
            "ranks have the same. MLCommons Chakra's protobuf, or a plain JSON of the same nodes if its name ends with "
            ".json"),
        field("hosts", &C::hosts, "Ranks, in order; h0..h7 is eight of them"),
        field("all_reduce", &C::all_reduce, "How each AllReduce is played"),
        field("slices", &C::slices, "Not ALL_TO_ALL: parts that go round one behind the other, at most")
            .at_least(1)
            .at_most(1024)
            .from("NCCL_STEPS"),
        field("least_slice", &C::least_slice, "None of them is smaller").at_least(1_B).from("assumed"),
        field("qps", &C::qps, "Queue pairs of a connection").at_least(1).at_most(64),
        field("qp_use", &C::qp_use, "How messages are laid on them"),
        field("window", &C::window, "ALL_TO_ALL: messages of a rank on their way at a time").at_least(1).at_most(1024),
        field("clear_to_send", &C::clear_to_send,
              "Messages of a collective that a receiver admits at a time, each by a message of 64 B in priority 5; a "
              "message between two ranks waits until its receiver is there. 0: senders do not wait for that")
            .at_least(0)
            .at_most(1024),
        field("start", &C::start, "When").at_most(10s)};
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
    return std::tuple{field("at", &C::at, "When").at_most(10s), field("from", &C::from, "One end of the first cable"),
                      field("to", &C::to, "between these two"), field("up", &C::up, "Back in service, or out of it")};
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
  Duration warmup = 0us;
  Duration measure = 1ms;
  int seed = 1;
  Duration patience = 200us;

  static constexpr auto fields() {
    using C = RunLength;
    return std::tuple{
        field(
            "level", &C::level,
            "Packets in queues, or flows that share cables max-min fairly: for very large networks; no queues, losses, "
            "marks or pauses"),
        field("warmup", &C::warmup, "Simulated before counting starts").at_most(10s),
        field("measure", &C::measure, "Simulated time that counts; collectives may end it earlier")
            .at_least(1us)
            .at_most(10s),
        field("seed", &C::seed, "Of all randomness").at_least(0),
        field("patience", &C::patience, "Paused queues that wait in a circle for so long without a move are a deadlock")
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
