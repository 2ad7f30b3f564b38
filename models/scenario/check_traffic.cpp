#include <algorithm>
#include <limits>
#include <map>

#include "peerpath/scenario/describe.hpp"
#include "peerpath/scenario/frames.hpp"
#include "peerpath/scenario/queues.hpp"
#include "peerpath/scenario/window.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/check.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

constexpr Bytes ethernet{14};    // without tags
constexpr Bytes ip_and_tcp{52};  // IPv4 20, TCP 20, timestamp option 12 (RFC 791, 9293, 7323)

template <class Config>
const Config* as(const Device* device) {
  return device == nullptr ? nullptr : std::get_if<Config>(&device->config);
}

/// Memory of a device that peers can address, directly or by remapping; nothing if it has none.
std::optional<Bytes> memory_of(const Device& device) {
  return with_kind(device, [](auto kind, const auto& config) { return kind.memory(config); });
}
bool is_memory(const Device& device) { return memory_of(device).has_value(); }

/// "gpu, nic or nvme": the kinds whose trait says so of their defaults.
std::string kinds(auto says_so) {
  std::vector<std::string_view> found;
  for_each_kind([&]<class Config>(Kind<Config> kind) {
    if (says_so(device::Kind<Config>{}, Config{})) found.push_back(kind.name);
  });
  std::string text;
  for (std::size_t i = 0; i < found.size(); ++i)
    text += std::string{i == 0 ? "" : i + 1 < found.size() ? ", " : " or "} + std::string{found[i]};
  return text;
}
std::string any_memory() {
  return "memory: " + kinds([](auto kind, const auto& config) { return kind.memory(config).has_value(); });
}
std::string any_endpoint() {
  return "a device that does DMA: " + kinds([](auto kind, const auto&) { return kind.role == device::Role::endpoint; });
}

Bytes reachable(const Device& device) { return memory_of(device).value_or(Bytes{}); }

/// Whether write or read traffic is a stream of the device's own engine. Any other entry has a queue at its device.
bool by_own_engine(const Traffic& t, const traffic::Dma& dma, const Device& from) {
  return with_kind(from, [](auto kind, const auto&) { return kind.has_engine; }) && t.arrival == ArrivalLaw::regular &&
         dma.traffic_class == 0 && dma.bytes == Bytes{};
}

constexpr int most_queues = 20;            // of an endpoint in the fabric
constexpr std::int64_t most_rules = 4096;  // of flow steering

/// Queues that a device has for itself.
int own_queues(const Device& device) {
  return with_kind(device, [](auto kind, const auto& config) { return kind.own_queues(config); });
}

class TrafficCheck {
 public:
  TrafficCheck(const Scenario& scenario, const Tree& tree, Problems& out)
      : scenario_{scenario}, tree_{tree}, out_{out} {}

  void check() {
    if (scenario_.traffic.empty()) add("/traffic", "no traffic: add at least one entry");
    std::map<std::string, std::size_t> names;
    for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) {
      const Traffic& traffic = scenario_.traffic[i];
      at_ = join("/traffic", i);
      const auto [first, is_new] = names.try_emplace(traffic.name, i);
      if (!is_new)
        add(at_ + "/name",
            "\"" + traffic.name + "\" is the name of /traffic/" + std::to_string(first->second) + " too");
      if (tree_.find(traffic.name) != nullptr)
        add(at_ + "/name", "\"" + traffic.name + "\" is also the name of a device");
      if (traffic.name.find_first_of(". \t\n") != std::string::npos)
        add(at_ + "/name", "\"" + traffic.name + "\" contains a dot or a space; metrics are called name.metric");
      if (const auto* network = traffic.as<traffic::Network>()) check_network(traffic, *network);
      if (const auto* dma = traffic.as<traffic::Dma>()) check_dma(traffic, *dma);
      if (const auto* copy = traffic.as<traffic::Copy>()) check_copy(traffic, *copy);
      if (traffic.is<traffic::Atomic>()) check_atomic(traffic);
      if (traffic.is<traffic::Gpunet>()) check_sockets(traffic);
      if (!traffic.replays() && !traffic.sizes.empty()) check_pace(traffic);
      if (traffic.ends_after() > Bytes{0}) check_end(traffic);
    }
    check_wire_rates();
    for (const std::string& nic : tree_.all<device::NicConfig>()) {
      check_shares(nic, receive_shares(scenario_, nic), true);
      check_shares(nic, transmit_shares(scenario_, nic), false);
    }
  }

 private:
  void add(std::string key, std::string message) { out_.push_back({"", 0, 0, std::move(key), std::move(message)}); }

  // The device called `name`; nullptr, with a problem, if there is none or `accept` refuses it.
  const Device* end(std::string_view key, const std::string& name, std::string_view wanted, auto accept) {
    const Device* device = tree_.find(name);
    if (device == nullptr) {
      add(at_ + "/" + std::string{key}, no_device(tree_, name));
    } else if (!accept(*device)) {
      add(at_ + "/" + std::string{key}, what_is(*device) + ", not " + std::string{wanted});
      device = nullptr;
    }
    return device;
  }

  void check_network(const Traffic& t, const traffic::Network& network) {
    const auto is_nic = [](const Device& d) { return std::holds_alternative<device::NicConfig>(d.config); };
    const auto is_host = [](const Device& d) { return std::holds_alternative<device::HostMemoryConfig>(d.config); };
    const Device* from = end("from", t.from, "a nic", is_nic);
    const Device* to = end("to", t.to, any_memory(), is_memory);
    end("headers_to", network.headers_to, "a host_memory", is_host);
    if (tree_.all<device::HostCpuConfig>().empty())
      add(at_ + "/kind", std::string{t.kind()} + " needs a host_cpu to run the driver");
    const bool receive = t.is<traffic::Receive>();
    if (receive && t.saturates) add(at_ + "/saturates", "has no effect: a NIC drops the frames that it cannot receive");
    if (through_host(t.path) && to != nullptr && !std::holds_alternative<device::GpuConfig>(to->config))
      add(at_ + "/path", std::string{name_of(t.path)} +
                             (receive ? " needs a gpu as target, whose copy engine fetches the data; "
                                      : " needs a gpu as source, whose copy engine supplies the data; ") +
                             what_is(*to));
    if (!receive && t.arrival != ArrivalLaw::regular && t.arrival != ArrivalLaw::burst)
      add(at_ + "/arrival", "transmit supports arrival regular or burst");
    check_registered(t, network, to);
    const auto* nic = as<device::NicConfig>(from);
    if (nic == nullptr) return;
    if (const auto* card = as<device::DmaCardConfig>(to)) check_buffers(t, *nic, *card);
    if (receive && t.path == DataPath::zero_copy && !nic->header_split && to != nullptr && !is_host(*to))
      add(at_ + "/path", "zero_copy to " + to->name + " needs header_split on " + from->name +
                             ": the CPU cannot read headers in device memory");
    const Bytes most = receive ? nic->mtu - ip_and_tcp : 64_KiB;
    for (std::size_t i = 0; i < t.sizes.size() && !t.replays(); ++i)
      if (t.sizes[i] > most)
        add(join(at_ + "/sizes", i), to_text(t.sizes[i]) + " of payload " +
                                         (receive ? "with 52 B of IPv4 and TCP headers is above the mtu of " +
                                                        from->name + ", " + to_text(nic->mtu)
                                                  : "is above the largest send, 64KiB"));
    if (receive && !t.replays()) check_frames(t, *nic);
  }

  /// A frame that takes too many buffers is dropped.
  void check_frames(const Traffic& t, const device::NicConfig& nic) {
    const Bytes most = nic.buffer_size * device::sure_buffers(nic.ring_entries);
    const bool split = nic.header_split && nic.header_buffer_size >= ethernet + ip_and_tcp;
    const Bytes headers = split ? Bytes{0} : ethernet + ip_and_tcp;
    for (std::size_t i = 0; i < t.sizes.size(); ++i)
      if (t.sizes[i] + headers > most)
        add(join(at_ + "/sizes", i), to_text(t.sizes[i]) + " of payload needs more than half a ring of " + t.from +
                                         "'s buffers, " + to_text(most) + "; frames would be dropped as too long");
  }

  /// As if all queues of the NIC were this traffic's.
  void check_buffers(const Traffic& t, const device::NicConfig& nic, const device::DmaCardConfig& card) {
    const bool receive = t.is<traffic::Receive>();
    const Bytes each = receive || t.sizes.empty() ? nic.buffer_size : std::min(std::ranges::max(t.sizes), 64_KiB);
    const Bytes all = each * (std::int64_t{nic.ring_entries} * nic.queues);
    if (all > card.memory)
      add(at_ + "/to", t.to + " has " + to_text(card.memory) + " of memory, not enough for the " +
                           (receive ? "buffers" : "packets") + " in the rings of " + t.from + ", " + to_text(all));
  }

  void check_dma(const Traffic& t, const traffic::Dma& dma) {
    const auto is_endpoint = [](const Device& d) { return function_of(d) != nullptr; };
    const Device* from = end("from", t.from, any_endpoint(), is_endpoint);
    const Device* to = end("to", t.to, any_memory(), is_memory);
    if (from != nullptr && from == to) add(at_ + "/to", "is " + t.to + " itself; no PCIe transfer would take place");
    if (through_host(t.path)) add(at_ + "/path", "only receive and transmit go through host memory");
    if (to != nullptr && dma.window + dma.offset > reachable(*to))
      add(at_ + "/window",
          to_text(dma.window + dma.offset) + " is more than " + to->name + " has, " + to_text(reachable(*to)));
    if (const auto* nic = as<device::NicConfig>(from); nic != nullptr && nic->ats)
      add(at_ + "/from", t.from + " has ats, which supports receive and transmit only");
    if (const auto* gpu = as<device::GpuConfig>(to)) {
      check_pieces(t, dma.window, *gpu);
      if (gpu->bar1.when_full == device::Bar1Full::remap && dma.addresses == Addresses::random)
        add(at_ + "/addresses", t.to + " remaps its BAR1, which requires addresses in_turn");
      if (gpu->bar1.when_full == device::Bar1Full::remap && dma.offset > Bytes{})
        add(at_ + "/offset", t.to + " remaps its BAR1, which requires offset 0B");
    }
    for (std::size_t i = 0; i < t.sizes.size(); ++i)
      if (t.sizes[i] > dma.window)
        add(join(at_ + "/sizes", i), to_text(t.sizes[i]) + " is more than the window, " + to_text(dma.window));
    if (from == nullptr) return;
    if (!by_own_engine(t, dma, *from)) return check_queue(t, dma.window, *from);
    if (dma.outstanding)
      add(at_ + "/outstanding", "the DMA engine of " + t.from + " has a fixed number of transfers in flight");
  }

  void check_atomic(const Traffic& t) {
    constexpr Bytes most{16};  // PCIe Base Spec 6.15: CAS of 128 bits
    const Device* from = tree_.find(t.from);
    if (from != nullptr && as<device::GpuConfig>(from) == nullptr)
      add(at_ + "/from", "atomic operations are issued by a gpu; " + what_is(*from));
    for (std::size_t i = 0; i < t.sizes.size(); ++i)
      if (t.sizes[i] > most)
        add(join(at_ + "/sizes", i),
            to_text(t.sizes[i]) + " is more than the largest atomic operand, " + to_text(most));
  }

  /// Ends of sockets; the rest is checked by the proxy at `to`.
  void check_sockets(const Traffic& t) {
    const auto is_proxy = [](const Device& d) { return std::holds_alternative<device::GpunetProxyConfig>(d.config); };
    end("to", t.to, "a gpunet_proxy", is_proxy);
    end("from", t.from, "a gpunet_proxy, or host_memory for a CPU program",
        [&](const Device& d) { return is_proxy(d) || std::holds_alternative<device::HostMemoryConfig>(d.config); });
    if (t.arrival != ArrivalLaw::regular) add(at_ + "/arrival", "gpunet supports only regular arrival");
  }

  /// Copies are made by the GPU at one of their ends.
  void check_copy(const Traffic& t, const traffic::Copy& copy) {
    const auto is_end = [](const Device& d) {
      return std::holds_alternative<device::GpuConfig>(d.config) ||
             std::holds_alternative<device::HostMemoryConfig>(d.config);
    };
    const Device* from = end("from", t.from, "a gpu or host_memory", is_end);
    const Device* to = end("to", t.to, "a gpu or host_memory", is_end);
    if (through_host(t.path)) add(at_ + "/path", "only receive and transmit go through host memory");
    if (t.arrival != ArrivalLaw::regular) add(at_ + "/arrival", "copy supports only regular arrival");
    if (from == nullptr || to == nullptr) return;
    const auto* source = as<device::GpuConfig>(from);
    const auto* target = as<device::GpuConfig>(to);
    if (from == to || (source == nullptr && target == nullptr))
      return add(at_ + "/to", "a copy needs a gpu at one end and another device at the other");
    for (const auto* gpu : {from, to})
      if (as<device::GpuConfig>(gpu) != nullptr && own_queues(*gpu) + ++queues_[gpu->name] == most_queues + 1)
        add(at_ + "/from", gpu->name + " has no free queue: " + std::to_string(most_queues) + " at most");
    const bool between = source != nullptr && target != nullptr;
    if (!copy.through.empty()) {
      const auto is_host = [](const Device& d) { return std::holds_alternative<device::HostMemoryConfig>(d.config); };
      end("through", copy.through, "a host_memory", is_host);
      if (!between) add(at_ + "/through", "only a copy between two gpus can be staged");
      if (copy.by == CopyBy::kernel) add(at_ + "/by", "a staged copy requires copy engines (by engine)");
      if (copy.submission == Submission::single) add(at_ + "/submission", "a staged copy requires submission queued");
    } else if (between && (!source->copies || source->copies->peer_rate == BitRate{})) {
      add(at_ + "/through",
          "is needed: " + t.from +
              " has no copies.peer_rate (no direct GPU connection); set \"through\" to a host memory");
    }
  }

  // Flows have parts of the window, and each entry a queue.
  void check_queue(const Traffic& t, Bytes window, const Device& from) {
    const Bytes part{window.count() / t.flows};
    for (std::size_t i = 0; i < t.sizes.size(); ++i)
      if (t.sizes[i] > part && t.sizes[i] <= window)
        add(join(at_ + "/sizes", i), to_text(t.sizes[i]) + " is more than a flow's part of the window, " +
                                         to_text(window) + " for " + std::to_string(t.flows) + " flows");
    const auto above = tree_.uplink(from.name);
    const int most = most_queues - (above && scenario_.links[*above].vc1 ? 1 : 0);
    if (own_queues(from) + ++queues_[from.name] == most + 1)
      add(at_ + "/from", from.name + " has no free queue: " + std::to_string(most) + " at most, " +
                             std::to_string(own_queues(from)) + " of them reserved");
  }

  // A transfer stays within one piece of memory that is mapped at a time, and a flow has room for that.
  void check_pieces(const Traffic& t, Bytes window, const device::GpuConfig& gpu) {
    if (gpu.bar1.when_full != device::Bar1Full::remap) return;
    const Bytes most = std::min(gpu.bar1.piece, Bytes{window.count() / t.flows / 2});
    for (std::size_t i = 0; i < t.sizes.size(); ++i)
      if (t.sizes[i] > most)
        add(join(at_ + "/sizes", i), to_text(t.sizes[i]) + " is more than bar1.piece of " + t.to + ", " +
                                         to_text(gpu.bar1.piece) + " or than half of a flow's part of the window");
  }

  void check_registered(const Traffic& t, const traffic::Network& network, const Device* to) {
    if (!network.registered || to == nullptr) return;
    if (!std::holds_alternative<device::GpuConfig>(to->config))
      add(at_ + "/registered", "requires memory of a gpu; " + what_is(*to));
    else if (through_host(t.path))
      add(at_ + "/registered",
          "has no effect with path " + std::string{name_of(t.path)} + ", which maps no GPU memory");
    else if (*network.registered > reachable(*to))
      add(at_ + "/registered",
          to_text(*network.registered) + " is more than " + to->name + " has, " + to_text(reachable(*to)));
  }

  // Sources plan ahead, and the times that they plan must fit into 64 bits of femtoseconds: 9223 s, of which the two
  // parts of a run take 9000 at most.
  void check_pace(const Traffic& t) {
    constexpr std::int64_t longest_seconds = 200;
    constexpr Bytes headers{128};            // and the framing of Ethernet, rounded up
    constexpr int longest_exponential = 45;  // times its mean, of 64 random bits
    std::int64_t ahead = t.arrival == ArrivalLaw::burst ? t.burst : 1;
    const Device* from = tree_.find(t.from);
    if (const auto* nic = as<device::NicConfig>(from); nic != nullptr && t.is<traffic::Transmit>())
      ahead *= nic->queues;
    if (const auto* dma = t.as<traffic::Dma>())
      ahead = std::max<std::int64_t>(ahead, dma->outstanding.value_or(static_cast<int>(in_flight(from))));
    const Bytes largest = std::ranges::max(t.sizes);
    const auto bits = (static_cast<WideInt>(largest.count()) + headers.count()) * 8 * ahead *
                      (t.arrival == ArrivalLaw::poisson ? longest_exponential : 1);
    const WideInt least = (bits + longest_seconds - 1) / longest_seconds;
    if (least <= t.rate.bps()) return;
    const bool spelt = least <= std::numeric_limits<std::int64_t>::max();
    add(at_ + "/rate", to_text(t.rate) + " is too slow for sizes of " + to_text(largest) + ": " +
                           std::to_string(ahead) + " of them must arrive within " + std::to_string(longest_seconds) +
                           " s" + (spelt ? "; the minimum is " + to_text(BitRate{narrow(least)}) : ""));
  }

  /// Transfers that a device has in flight at most.
  static std::int64_t in_flight(const Device* from) {
    if (from == nullptr) return device::CommonKind::in_flight(0);
    return with_kind(*from, [](auto kind, const auto& config) { return kind.in_flight(config); });
  }

  // Traffic that ends.
  void check_end(const Traffic& t) {
    if (t.replays()) return add(at_ + "/bytes", "a capture has its own end");
    if (!frames_of(t)) add(at_ + "/bytes", to_text(t.ends_after()) + " are not a whole number of frames of \"sizes\"");
    if (fixed_warmup(scenario_) > Duration{0})
      add("/run/warmup", "traffic with \"bytes\" is counted from its first frame: must be 0ns");
  }

  // A NIC's queues are shared out between destinations (receive) or entries (transmit), and flows steered to them.
  void check_shares(const std::string& nic, const std::vector<QueueShare>& shares, bool receive) {
    std::int64_t flows = 0;
    for (const QueueShare& share : shares) {
      if (share.queues.empty())
        add(join("/traffic", share.entries.front()) + "/from",
            nic + (receive ? " has fewer queues than destinations" : " has fewer queues than transmit entries"));
      if (!receive || shares.size() == 1) continue;
      for (const std::size_t i : share.entries) {
        const Traffic& t = scenario_.traffic[i];
        const auto several = nic + " receives for several destinations, which needs flow rules: ";
        if (t.replays()) add(join("/traffic", i) + "/capture", several + "no captures");
        const bool was_over = flows > most_rules;
        flows += t.flows;
        if (!was_over && flows > most_rules)
          add(join("/traffic", i) + "/flows", several + std::to_string(most_rules) + " flows at most in total");
      }
    }
  }

  // The sum of rates may not exceed the wire rate: the excess would only fill a queue in front of the wire.
  void check_wire_rates() {
    std::map<std::pair<std::string, bool>, WideInt> offered;  // by NIC, and whether it receives
    for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) {
      const Traffic& t = scenario_.traffic[i];
      const auto* nic = as<device::NicConfig>(tree_.find(t.from));
      if (nic == nullptr || t.replays() || t.as<traffic::Network>() == nullptr) continue;
      WideInt& sum = offered[{t.from, t.is<traffic::Receive>()}];
      const bool was_over = sum > nic->wire_rate.bps();
      sum += t.rate.bps();
      if (was_over || sum <= nic->wire_rate.bps()) continue;
      const bool alone = sum == t.rate.bps();
      add(join("/traffic", i) + "/rate", to_text(t.rate) + (alone ? "" : ", together with the entries before it,") +
                                             " is above the wire rate of " + t.from + ", " + to_text(nic->wire_rate));
    }
  }

  const Scenario& scenario_;
  const Tree& tree_;
  Problems& out_;
  std::string at_;
  std::map<std::string, int> queues_;  ///< of write and read traffic, by device
};

}  // namespace

void check_traffic(const Scenario& scenario, const Tree& tree, Problems& out) {
  TrafficCheck{scenario, tree, out}.check();
}

}  // namespace peerpath::scenario
