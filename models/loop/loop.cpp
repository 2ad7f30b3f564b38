#include "loop/loop.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/fail.hpp"

namespace peerpath::loop {

bool drive(Reactor& reactor, Instant end, Duration quantum, const std::function<bool()>& stop) {
  reactor.start();
  while (true) {
    const auto reached = reactor.horizon();
    reactor.react(reached);
    if (stop && stop()) return false;
    if (reached >= end) return true;
    reactor.advance(std::min(end - reached > quantum ? reached + quantum : end, reactor.bound()));
  }
}

Loop::Loop(const MakeFabric& make, Duration quantum) : quantum_{quantum} {
  require(quantum > Duration{0}, "the quantum must be longer than nothing");
  reactor_.prepare(make);
}

Loop::Loop(const fabric::Topology& topology, fabric::Mode mode, Duration quantum) : quantum_{quantum} {
  require(quantum > Duration{0}, "the quantum must be longer than nothing");
  reactor_.prepare(topology, mode, false);
}

void Loop::at(Instant when, Action action) {
  require(when >= now(), "an action is scheduled in the past");
  reactor_.at(when, std::move(action));
}

}  // namespace peerpath::loop
