// The computed fabric. Every transmitter knows when its next TLP will start as far as that is determined; the engine
// takes the earliest such decision, carries it out, and works out anew the few decisions that it touches. Since every
// effect of a start lies later than the start, taking them in order of time is exact. While nothing can interfere, one
// decision carries a whole run of equal TLPs (a train), with its times as an arithmetic progression.
#pragma once

#include <vector>

#include "fabric/engine/lookahead.hpp"
#include "fabric/engine/queues.hpp"
#include "fabric/engine/receiver.hpp"
#include "fabric/engine/routes.hpp"
#include "fabric/engine/sender.hpp"
#include "fabric/engine/state.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {

class ComputedFabric final : public Fabric {
 public:
  ComputedFabric(const Topology& topology, DeliverySink& sink) : s_{topology, sink} {}

  void submit(NodeId requester, ChannelIndex channel, const Transaction& transaction) override;
  void respond(RequestId request, Instant ready, pcie::Status status) override;
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
  void observe(TlpObserver* observer) override;

 private:
  engine::Transmitter& transmitter(LinkId link, int direction) {
    return s_.transmitters[link.value() * 2u + static_cast<unsigned>(direction)];
  }
  void submit_other(engine::EndpointState& own, std::uint32_t record);
  void count_coming(std::uint32_t record, engine::EndpointState& requester);
  void count_send(engine::EndpointState& own, engine::Fifo& fifo, engine::Record& record);
  void bring_forward(engine::Fifo& fifo, std::size_t first);
  void play();
  void start_next(engine::Transmitter& x);
  void resume();
  void catch_up();

  engine::State s_;
  engine::Queues queues_{s_};
  engine::Lookahead ahead_{s_};
  engine::Receiver receiver_{s_, queues_};
  engine::Sender sender_{s_, queues_, ahead_, receiver_};
  engine::Routes routes_{s_};
  std::vector<engine::Transmitter*> put_off_;  ///< their starts before the horizon wait until more is known
  bool playing_ = false;
  bool may_put_off_ = false;
};

}  // namespace peerpath::fabric
