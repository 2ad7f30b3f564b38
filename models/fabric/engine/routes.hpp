// Routes that change while TLPs are under way, and whether any of these can end where it is not meant to.
#pragma once

#include "fabric/engine/state.hpp"

namespace peerpath::fabric::engine {

/// Keeps `State::may_stray`: while TLPs may go astray, nothing that waits for a tag knows for sure when it will have
/// one, and all lookahead is short.
class Routes {
 public:
  explicit Routes(State& state) : s_{state} {
    for (const EndpointState& each : s_.endpoints)
      if (each.config.one_queue > 0) allow_turns();
  }

  /// Changes one route; false if that is the present one.
  bool set(const Route& route);
  /// An endpoint sends to itself.
  void send_to_itself();
  /// Before an `advance`: finds out whether TLPs may still go astray.
  void review();

 private:
  void allow_turns();
  void expect_strays();
  bool arrives(const EndpointState& source, const EndpointState& target, std::size_t kind) const;

  State& s_;
  bool reviewed_ = true;    ///< `misrouted_` is up to date
  bool misrouted_ = false;  ///< some route ends at another endpoint than the target
  bool to_itself_ = false;  ///< an endpoint has sent to itself
};

}  // namespace peerpath::fabric::engine
