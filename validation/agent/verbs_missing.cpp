// In place of verbs_transfer.cpp where there was no libibverbs to build with.
#include "validation/agent/transfer.hpp"

namespace peerpath::agent {

Expected<Outcome> move_by_verbs(const Traffic&) {
  return tl::unexpected{Failure{"this agent was built without libibverbs", true}};
}

}  // namespace peerpath::agent
