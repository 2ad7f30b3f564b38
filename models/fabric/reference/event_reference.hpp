// The oracle: every rule of README.md played out event by event. Clear before fast; the computed engines are held
// against it to the femtosecond.
//
// `State` is all that it knows. `Queues` says what may leave a node and when, `Senders` whose turn it is and where it
// goes, `Endpoints` what devices make of what arrives. The face below takes events and orders in, one after the other.
#pragma once

#include "fabric/reference/senders.hpp"

namespace peerpath::fabric {

class EventReference final : public Fabric {
 public:
  EventReference(const Topology& topology, DeliverySink& sink, Flaw flaw = Flaw::none) : state_{topology, sink, flaw} {}

  void submit(NodeId requester, ChannelIndex channel, const Transaction& transaction) override {
    endpoints_.submit(requester, channel, transaction);
  }
  void respond(RequestId request, Instant ready, pcie::Status status) override {
    endpoints_.respond(request, ready, status);
  }
  Instant advance(Instant limit) override;
  Instant quiet_until() const override;
  void set_link(LinkId link, bool up) override;
  void set_route(const Route& route) override;
  void set_timing(LinkId link, int direction, const LineTiming& timing) override;
  void set_rate(LinkId link, int direction, BitRate rate) override;
  void leak_credits(LinkId link, int direction, pcie::TlpClass tlp_class, Credits lost) override;
  void strike(LinkId link, int direction) override;
  DirectionCounters counters(LinkId link, int direction) const override;
  std::vector<Waiting> waiting() const override;
  void observe(TlpObserver* observer) override { state_.observer = observer; }

 private:
  void handle(const Event& event);

  reference::State state_;
  reference::Queues queues_{state_};
  reference::Endpoints endpoints_{state_, queues_};
  reference::Senders senders_{state_, queues_, endpoints_};
};

}  // namespace peerpath::fabric
