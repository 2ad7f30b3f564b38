// What endpoints do: they submit, take TLPs in, answer requests, and time out.
#pragma once

#include "fabric/reference/queues.hpp"

namespace peerpath::fabric::reference {

class Endpoints {
 public:
  Endpoints(State& state, Queues& queues) : state_{state}, queues_{queues} {}

  void submit(NodeId requester, ChannelIndex channel, const Transaction& transaction);
  void respond(RequestId request, Instant ready, pcie::Status status);

  void arrive(Station& s, NodeId node, Tlp* tlp, Instant arrival);
  void pass_held(Station& s, NodeId node);
  void take_in(NodeId node, std::uint8_t pool);
  /// The last TLP of a posted transaction has left its requester, which asked to be told.
  void sent(Job* job);
  void start_timer(NodeId requester, Request* request);
  void time_out(NodeId requester);

 private:
  std::int64_t completions_for(const Station& s, NodeId node, const Tlp& request) const;
  void serve(Station& s, NodeId node, Tlp* tlp, Instant arrival);
  void take_in_request(NodeId node, Tlp* tlp);
  void take_in_completion(NodeId node, Tlp* tlp);
  void answer(NodeId completer, Request* request, pcie::Status status, Instant data_ready, bool by_read_server);
  void answered(Request* request, pcie::Status status);
  void deliver(DeliveryKind kind, const Job& job, const Request* request, RequestId id);
  static Bytes missing(DeliveryKind kind, const Job& job);
  void bound_by_reaction(NodeId notified);
  void drop_user(Job* job);

  State& state_;
  Queues& queues_;
};

}  // namespace peerpath::fabric::reference
