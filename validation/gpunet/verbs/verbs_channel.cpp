#include "validation/gpunet/verbs/verbs_channel.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace peerpath::gpunet {
namespace {

constexpr unsigned looks_between = 256;  ///< receives in vain before TCP is asked whether the other end is gone

Address as_tcp(Address address) {
  if (address.family == Family::rdma) address.family = Family::tcp;
  return address;
}

}  // namespace

VerbsChannel::VerbsChannel(std::unique_ptr<SocketChannel> setup, std::string device,
                           std::shared_ptr<DirectMemory> direct, bool accepted)
    : setup_{std::move(setup)},
      device_{std::move(device)},
      direct_{std::move(direct)},
      step_{accepted ? Step::greeting : Step::none} {}

int VerbsChannel::accept(std::unique_ptr<Channel>& connection, Address& peer) {
  const std::lock_guard lock{mutex_};
  std::unique_ptr<Channel> call;
  Address from;
  while (setup_->accept(call, from) == 0) {
    from.family = Family::rdma;
    std::unique_ptr<SocketChannel> setup{static_cast<SocketChannel*>(call.release())};
    callers_.push_back({std::make_unique<VerbsChannel>(std::move(setup), device_, direct_, true), from});
  }
  for (auto caller = callers_.begin(); caller != callers_.end();) {
    const int result = caller->channel->advance();
    if (result == -EINPROGRESS) {
      ++caller;
      continue;
    }
    auto done = std::move(*caller);
    caller = callers_.erase(caller);
    if (result < 0) continue;  // somebody who speaks otherwise, or is gone
    connection = std::move(done.channel);
    peer = done.address;
    return 0;
  }
  return -EAGAIN;
}

int VerbsChannel::connect(const Address& address) {
  if (step_ == Step::connected) return -EISCONN;
  if (step_ != Step::none) {
    const int result = finish_connect();
    return result == -EINPROGRESS ? -EALREADY : result;
  }
  const int result = setup_->connect(as_tcp(address));
  if (result < 0 && result != -EINPROGRESS) return result;
  step_ = Step::calling;
  return finish_connect();
}

int VerbsChannel::finish_connect() {
  const int result = advance();
  if (result < 0 && result != -EINPROGRESS) step_ = Step::none;
  return result;
}

int VerbsChannel::advance() {
  if (step_ == Step::calling) {
    if (const int result = setup_->finish_connect(); result < 0) return result;
    step_ = Step::greeting;
  }
  if (step_ == Step::greeting)
    if (const int result = greet(); result < 0) return result;
  if (step_ == Step::agreeing)
    if (const int result = agree(); result < 0) return result;
  return 0;
}

/// Tells of this end, hears of the other one, and connects the queue pair.
int VerbsChannel::greet() {
  if (!messages_) {
    auto opened = Messages::open(device_, direct_);
    if (!opened) return opened.error().unsupported ? -ENODEV : -EIO;
    messages_ = std::move(*opened);
    auto here = messages_->here();
    const std::array piece{iovec{&here, sizeof here}};
    if (setup_->send(piece) != static_cast<std::int64_t>(sizeof here)) return -ECONNRESET;
  }
  if (const int result = hear(&there_, sizeof there_); result < 0) return result;
  if (!messages_->connect(there_)) return -ECONNREFUSED;
  char ready = 'r';
  const std::array piece{iovec{&ready, 1}};
  if (setup_->send(piece) != 1) return -ECONNRESET;
  step_ = Step::agreeing;
  return 0;
}

/// The other end can receive, too.
int VerbsChannel::agree() {
  char ready = 0;
  if (const int result = hear(&ready, 1); result < 0) return result;
  step_ = Step::connected;
  return 0;
}

int VerbsChannel::hear(void* into, std::size_t bytes) {
  while (heard_ < bytes) {
    const std::array piece{iovec{static_cast<unsigned char*>(into) + heard_, bytes - heard_}};
    const auto got = setup_->receive(piece);
    if (got == -EAGAIN) return -EINPROGRESS;
    if (got <= 0) return got < 0 ? static_cast<int>(got) : -ECONNRESET;
    heard_ += static_cast<std::size_t>(got);
  }
  heard_ = 0;
  return 0;
}

std::int64_t VerbsChannel::send(std::span<const iovec> pieces) {
  return step_ == Step::connected ? messages_->send(pieces) : -ENOTCONN;
}

std::int64_t VerbsChannel::receive(std::span<const iovec> pieces) {
  if (step_ != Step::connected) return -ENOTCONN;
  return or_gone(messages_->receive(pieces), [&] { return messages_->receive(pieces); });
}

std::int64_t VerbsChannel::receive_direct(std::uint32_t& slot) {
  return or_gone(messages_->receive_direct(slot), [&] { return messages_->receive_direct(slot); });
}

std::int64_t VerbsChannel::or_gone(std::int64_t nothing, const std::function<std::int64_t()>& again) {
  if (nothing != -EAGAIN || ++looks_ % looks_between != 0) return nothing;
  unsigned char word = 0;
  const std::array piece{iovec{&word, 1}};
  if (setup_->receive(piece) == -EAGAIN) return nothing;
  const auto last = again();  // what came before the other end went
  return last == -EAGAIN ? -ECONNRESET : last;
}

int VerbsChannel::shutdown(int how) {
  if (step_ != Step::connected) return -ENOTCONN;
  if (how != 0) messages_->end();
  return 0;
}

bool VerbsChannel::settled() {
  if (step_ != Step::connected || reset_) return true;
  messages_->end();
  return messages_->settled();
}

MakeChannel verbs_channels(const std::string& device, const std::shared_ptr<DirectMemory>& direct) {
  return [device, direct](Family) -> std::unique_ptr<Channel> {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket < 0) return nullptr;
    return std::make_unique<VerbsChannel>(std::make_unique<SocketChannel>(socket, Family::tcp, 0), device, direct);
  };
}

}  // namespace peerpath::gpunet
