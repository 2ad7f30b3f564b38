// The oracle: every rule of README.md played out event by event. Clear before fast; the computed engines are held
// against it to the femtosecond.
#pragma once

#include <functional>
#include <queue>
#include <unordered_map>

#include "fabric/reference/event_queue.hpp"
#include "fabric/reference/flaw.hpp"
#include "fabric/reference/parts.hpp"

namespace peerpath::fabric {

class EventReference final : public Fabric {
 public:
  EventReference(const Topology& topology, DeliverySink& sink, Flaw flaw = Flaw::none);

  void submit(NodeId requester, ChannelIndex channel, const Transaction& transaction) override;
  void respond(RequestId request, Instant ready, pcie::Status status) override;
  Instant advance(Instant limit) override;
  void set_link(LinkId link, bool up) override;
  void set_route(const Route& route) override;
  void set_timing(LinkId link, int direction, const LineTiming& timing) override;
  void set_rate(LinkId link, int direction, BitRate rate) override;
  void leak_credits(LinkId link, int direction, pcie::TlpClass tlp_class, Credits lost) override;
  void strike(LinkId link, int direction) override;
  DirectionCounters counters(LinkId link, int direction) const override;
  std::vector<Waiting> waiting() const override;
  void observe(TlpObserver* observer) override { observer_ = observer; }

 private:
  using Tlp = reference::Tlp;
  using Request = reference::Request;
  using Station = reference::Station;
  using Transmitter = reference::Transmitter;

  void build_stations();
  void build_transmitters();
  static void set_times(Transmitter& t, BitRate rate);
  Transmitter& transmitter(std::uint32_t index) { return transmitters_[index]; }
  Station& station(NodeId node) { return stations_[node.value()]; }

  void schedule(Instant when, EventKind kind, std::uint32_t place, std::uint8_t pool = 0, int units = 0) {
    events_.push({when, kind, pool, static_cast<std::uint16_t>(units), place});
  }
  void handle(const Event& event);

  // Queues.
  void enter(NodeId node, std::size_t ingress, Tlp* tlp);
  void consider(NodeId node, std::size_t place);
  /// The first place of what leaves by a virtual channel of `t`. An endpoint has one queue for both.
  std::size_t first_place(const Transmitter& t, std::size_t channel) const {
    return stations_[t.from.value()].node->is_endpoint ? 0 : (2 * t.port + channel) * t.slots;
  }
  void left(Transmitter& t);
  bool oldest_of_ingress(const Station& s, std::size_t place) const;
  NodeId node_of(const Station& s) const { return NodeId{static_cast<std::uint16_t>(&s - stations_.data())}; }

  // Transmitters.
  void poke(std::uint32_t index) {
    Transmitter& t = transmitter(index);
    if (t.pending || (t.wanting[0] == 0 && t.wanting[1] == 0 && t.dllps_due == 0) || t.free > now_) return;
    t.pending = true;
    to_arbitrate_.push_back(index);
  }
  void arbitrate_all();
  void arbitrate(std::uint32_t index);
  static bool has_credits(const Transmitter& t, std::size_t pool, const Tlp& tlp);
  bool will_have_credits(std::uint32_t index, std::size_t pool, const Tlp& tlp) const;
  bool has_tag(const Transmitter& t, std::size_t slot) const;
  Waiting waiting_in(std::size_t node, std::size_t place) const;
  void count_stalls(Transmitter& t);
  /// The virtual channel by which a TLP goes there.
  static std::uint8_t channel(const Transmitter& t, const reference::Job& job) {
    return static_cast<std::uint8_t>(t.vc1_classes >> job.transaction.traffic_class & 1);
  }
  static std::uint8_t channel(const Transmitter& t, const Tlp& tlp) { return channel(t, *tlp.job); }
  void pass_turn(Transmitter& t, std::size_t slot);
  void pass_turn_of_two(Transmitter& t, std::size_t slot, std::size_t channel);
  bool start_one(std::uint32_t index, std::size_t channel, bool& stalled);
  bool goes_before(const Transmitter::Channel& turns, std::size_t slot, std::size_t other) const;
  bool start_of_two(std::uint32_t index, bool& stalled);
  void start(std::uint32_t index, std::uint8_t pool, std::size_t slot);
  void account(Transmitter& t, const Tlp& tlp, Instant begin, Duration ser);
  void forward(Transmitter& t, std::uint32_t index, std::uint8_t pool, Tlp* tlp, Instant begin);
  static Instant through_gate(const LinkDirection& direction, const Tlp& tlp, Instant at);
  void return_credits(std::uint32_t index, std::uint8_t pool, int units);

  // Receivers.
  void arrive(Station& s, NodeId node, Tlp* tlp, Instant arrival);
  void serve(Station& s, NodeId node, Tlp* tlp, Instant arrival);
  void pass_held(Station& s, NodeId node);
  std::int64_t completions_for(const Station& s, NodeId node, const Tlp& request) const;
  void cause_dllps(Transmitter& t, Instant arrival);
  void take_in(NodeId node, std::uint8_t pool);
  void take_in_request(NodeId node, Tlp* tlp);
  void take_in_completion(NodeId node, Tlp* tlp);
  void answer(NodeId completer, Request* request, pcie::Status status, Instant data_ready, bool by_read_server);
  void answered(Request* request, pcie::Status status);
  void start_timer(NodeId requester, Request* request);
  void time_out(NodeId requester);
  void deliver(DeliveryKind kind, const reference::Job& job, const Request* request, RequestId id);
  void bound_by_reaction(NodeId notified);
  void drop_user(reference::Job* job);

  Topology topology_;  ///< as it is now: `set_timing`
  const Wiring wiring_;
  DeliverySink* sink_;
  const Flaw flaw_;
  TlpObserver* observer_ = nullptr;
  Instant now_{}, horizon_{};
  EventQueue events_;
  std::vector<std::uint32_t> to_arbitrate_;  ///< transmitters, at the end of this instant
  std::vector<Station> stations_;
  std::vector<Transmitter> transmitters_;  ///< link * 2 + direction
  std::priority_queue<Instant, std::vector<Instant>, std::greater<>> bounds_;
  std::unordered_map<std::uint64_t, Request*> at_external_;
  std::uint64_t next_request_ = 0, entered_ = 0;
  reference::Pool<reference::Job> jobs_;
  reference::Pool<Request> requests_;
  reference::Pool<Tlp> tlps_;
};

}  // namespace peerpath::fabric
