// RDMA over a reliable connection: the source writes or sends, or the sink reads. A TCP connection tells each end of
// the other and when all is done. The whole stream lies in the memory of either end.
#include "validation/agent/connection.hpp"
#include "validation/agent/transfer.hpp"
#include "validation/backends/verbs/queue_pair.hpp"

namespace peerpath::agent {
namespace {

tl::unexpected<Failure> failed(const verbs::Problem& problem) {
  return tl::unexpected{Failure{problem.what, problem.unsupported}};
}

/// Tells the other end of this one and takes what it says.
Expected<verbs::Endpoint> exchange(const FileHandle& connection, const verbs::Endpoint& here) {
  verbs::Endpoint there;
  if (::send(connection.get(), &here, sizeof here, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof here) ||
      ::recv(connection.get(), &there, sizeof there, MSG_WAITALL) != static_cast<ssize_t>(sizeof there)) {
    return failure("the other end");
  }
  return there;
}

Expected<void> say_done(const FileHandle& connection) {
  if (::send(connection.get(), "d", 1, MSG_NOSIGNAL) != 1) return failure("the other end");
  return {};
}
Expected<void> hear_done(const FileHandle& connection) {
  char word = 0;
  if (::recv(connection.get(), &word, 1, MSG_WAITALL) != 1)
    return tl::unexpected{Failure{"the other end did not finish"}};
  return {};
}

verbs::Operation operation_of(const Traffic& traffic) {
  if (traffic.operation == RdmaOperation::read) return verbs::Operation::read;
  return traffic.operation == RdmaOperation::send ? verbs::Operation::send : verbs::Operation::write;
}

Expected<Outcome> transfer(const Traffic& traffic, const FileHandle& connection, const Buffer& buffer,
                           verbs::QueuePair& pair) {
  const bool sink = traffic.role == Role::sink;
  const auto there = exchange(connection, pair.here());
  if (!there) return tl::unexpected{there.error()};
  if (there->bytes < traffic.bytes) return tl::unexpected{Failure{"the other end has less memory"}};
  if (const auto connected = pair.connect(*there); !connected) return failed(connected.error());
  const bool sends = operation_of(traffic) == verbs::Operation::send;
  if (sink && sends)
    if (const auto posted = pair.expect(traffic.bytes, traffic.send_size); !posted) return failed(posted.error());
  // Nobody starts before both are ready.
  if (const auto said = say_done(connection); !said) return tl::unexpected{said.error()};
  if (const auto heard = hear_done(connection); !heard) return tl::unexpected{heard.error()};

  Outcome outcome;
  const double start = now();
  const bool active = sink == (operation_of(traffic) == verbs::Operation::read);
  if (active || (sink && sends)) {
    const auto count = active ? pair.move(operation_of(traffic), traffic.bytes, traffic.send_size) : pair.receive();
    if (!count) return failed(count.error());
    outcome.fragments = *count;
    if (const auto said = say_done(connection); !said) return tl::unexpected{said.error()};
  }
  if (!active || sends)
    if (const auto heard = hear_done(connection); !heard) return tl::unexpected{heard.error()};
  outcome.seconds = now() - start;
  const auto count = outcome.fragments;
  if (!sink)
    outcome.bytes = traffic.bytes;
  else if (const auto counted = count_piece(traffic, buffer, 0, traffic.bytes, outcome); !counted)
    return tl::unexpected{counted.error()};
  outcome.fragments = count;
  return outcome;
}

}  // namespace

Expected<Outcome> move_by_verbs(const Traffic& traffic) {
  const bool sink = traffic.role == Role::sink;
  const auto buffer = make_buffer(traffic.memory);
  if (!buffer) return tl::unexpected{buffer.error()};
  if (sink) std::fill(buffer->bytes().begin(), buffer->bytes().end(), static_cast<unsigned char>(0xff));
  const auto filled = sink ? buffer->store(0, buffer->bytes().size()) : fill_piece(traffic, *buffer, traffic.bytes, {});
  if (!filled) return tl::unexpected{filled.error()};
  auto pair = verbs::QueuePair::open(traffic.device, {buffer->bytes(), buffer->dmabuf()});
  if (!pair) return failed(pair.error());
  if (!sink) {
    const auto connection = connect_to(traffic);
    return connection ? transfer(traffic, *connection, *buffer, *pair) : tl::unexpected{connection.error()};
  }
  const auto listener = listen_at(traffic);
  if (!listener) return tl::unexpected{listener.error()};
  const auto connection = accept_one(*listener);
  return connection ? transfer(traffic, *connection, *buffer, *pair) : tl::unexpected{connection.error()};
}

}  // namespace peerpath::agent
