// Cores of a host: the threads of proxies, and programs at the other end of their sockets.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "core/host/booked_time.hpp"
#include "devices/gpunet_proxy/plan.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::proxy {

/// Since the start, of all threads of a proxy. `busy`: until the time that was asked for.
struct ProxyCounters {
  Duration busy{};
  std::int64_t sends = 0, sent_entries = 0, receives = 0, doorbells = 0, completions = 0;
  std::int64_t stalls = 0;  ///< looks at something that had no credit, no room or no buffer
};

/// What a posted write of the GPU or a NIC to host memory says. It travels as the cookie.
struct Word {
  enum class What : std::uint8_t { entry, taken, completion, sent };
  What what{};
  std::size_t lane = 0;

  std::uint64_t pack() const { return static_cast<std::uint64_t>(lane) << 8 | static_cast<std::uint64_t>(what); }
  static Word unpack(std::uint64_t cookie) {
    return {static_cast<What>(cookie & 0xff), static_cast<std::size_t>(cookie >> 8)};
  }
};

/// Threads that never sleep: each goes round its connections, and each of its calls takes its time. A thread that found
/// nothing in a whole round is not played until something comes; it then sees it when its round would have come there.
class Cores final : public device::Endpoint {
 public:
  /// A NIC's doorbell, where there is one.
  struct Bell {
    fabric::NodeId nic{};
    std::uint64_t address = 0;
  };

  Cores(Way way, std::vector<Lane*> lanes) : way_{way}, lanes_{std::move(lanes)} {}
  /// Before the start. The lanes are shared out between the proxy's threads.
  void add(const ProxyPlan& plan, std::optional<Bell> bell);
  void add(const ClientPlan& plan, const device::SocketCosts& costs);
  void add(const StorePlan& plan, const device::SocketCosts& costs);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;

  /// Of the proxies, by the order in which they were added.
  ProxyCounters counters(std::size_t proxy, Instant now) const {
    auto counters = proxies_[proxy].counters;
    counters.busy = proxies_[proxy].busy.until(now);
    return counters;
  }
  std::size_t proxies() const { return proxies_.size(); }

 private:
  struct Proxy {
    ProxyPlan plan;
    std::optional<Bell> bell;
    ProxyCounters counters;  ///< without `busy`
    device::SocketCosts costs;
    host::BookedTime busy{};  ///< of its threads
    /// A thread works from `now` on.
    void work(Instant now, Duration time) {
      busy.forget(now - host::longest_way);
      busy.book(now, now + time);
    }
  };
  /// What a thread does at one place of its round. Returns how long it took, and whether it was more than a look.
  struct Done {
    Duration time{};
    bool worked = false;
  };
  using Visit = std::function<Done(Instant now, device::Outbox& out)>;
  struct Thread {
    std::vector<Visit> visits;
    std::map<const Lane*, std::size_t> at_send, at_receive;  ///< visits by lane
    Duration round{};                                        ///< what it takes besides its visits
    std::size_t next = 0;
    bool worked = false, asleep = false;
    Instant began{};  ///< the round
    Instant asleep_since{};
    Duration idle_round{1};
    std::optional<Instant> due{};  ///< of the wake-up that is planned
  };
  /// A program, and how far its calls are.
  struct Client {
    ClientPlan plan;
    device::SocketCosts costs;
    std::size_t round = 0;
    std::vector<Bytes> sent, got;
    Bytes size{}, wanted{};  ///< of a message and its answer; 0: a new round begins
  };
  struct Store {
    StorePlan plan;
    device::SocketCosts costs;
    std::vector<Bytes> got, owed;
    std::size_t answers = 0;
  };
  struct Due {
    Instant when{};
    std::uint64_t order = 0;
    std::function<void(Instant now, device::Outbox& out)> act;
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : order > other.order; }
  };

  void at(Instant when, device::Outbox& out, std::function<void(Instant, device::Outbox&)> act);
  void go_on(std::size_t thread, Instant now, device::Outbox& out);
  /// Something has come for the thread whose visit this lane is.
  void poke(const Lane* lane, bool to_send, Instant when, device::Outbox& out);

  Done send(std::size_t proxy, Lane& lane, Instant now, device::Outbox& out);
  Done receive(std::size_t proxy, Lane& lane, bool epoll, Instant now, device::Outbox& out);
  Done post(std::size_t proxy, std::size_t lane, Instant now, device::Outbox& out);
  Done complete(std::size_t proxy, Lane& lane, Instant now);
  /// A program's calls; what they moved, `size` at most.
  Bytes send_some(Lane& lane, const device::SocketCosts& costs, Bytes size, Duration& time, Instant now,
                  device::Outbox& out);
  Bytes receive_some(Lane& lane, const device::SocketCosts& costs, Bytes size, Duration& time, Instant now,
                     device::Outbox& out);
  Done converse(Client& client, Instant now, device::Outbox& out);
  Done answer(Store& store, std::size_t connection, Instant now, device::Outbox& out);

  Way way_;
  std::vector<Lane*> lanes_;
  std::vector<Proxy> proxies_;
  std::vector<Thread> threads_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> agenda_;
  std::uint64_t order_ = 0;
};

}  // namespace peerpath::proxy
