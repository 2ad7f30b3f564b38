#include "validation/gpunet/proxy/shard.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>

#include "validation/gpunet/proxy/inbound.hpp"
#include "validation/gpunet/proxy/outbound.hpp"
#include "validation/gpunet/proxy/words.hpp"

namespace peerpath::gpunet {

Shard::Shard(const Net& net, const ProxyOptions& options, Listeners& listeners, std::uint32_t number)
    : net_{net},
      options_{options},
      number_{number},
      table_{net, number, options.threads},
      calls_{table_, listeners, options},
      epoll_{::epoll_create1(EPOLL_CLOEXEC)},
      seen_(net.size.blocks),
      watched_(net.size.sockets) {
  thread_ = std::thread{[this] { run(); }};
}

Shard::~Shard() {
  stop();
  join();
  ::close(epoll_);
}

void Shard::join() {
  if (thread_.joinable()) thread_.join();
}

void Shard::run() {
  auto idle_since = Clock::now();
  while (!stop_.load(std::memory_order_relaxed)) {
    const auto wanted = wanted_.load();
    ++metrics_.sweeps;
    if (sweep()) {
      ++metrics_.busy_sweeps;
      idle_since = Clock::now();
      continue;
    }
    quiet_.store(wanted);
    if (Clock::now() - idle_since > options_.spin) nap();
  }
}

bool Shard::sweep() {
  const bool called = sweep_calls();
  if (connections_ > options_.directly) poll_events();
  return sweep_sockets() || called;
}

bool Shard::answer(std::uint32_t block) {
  auto& call = net_.calls[block];
  const auto start = Clock::now();
  const auto result = calls_.handle(call);
  metrics_.call_ns += elapsed_ns(start);
  if (!result) return false;
  ++metrics_.calls;
  call.result = *result;
  store(net_.calls_answered + block, seen_[block]);
  return true;
}

bool Shard::sweep_calls() {
  bool worked = false;
  std::erase_if(waiting_, [&](std::uint32_t block) {
    const bool answered = answer(block);
    worked |= answered;
    return answered;
  });
  for (std::uint32_t block = 0; block < net_.size.blocks; ++block) {
    const auto made = load(net_.calls_made + block);
    if (made == seen_[block]) continue;
    seen_[block] = made;
    if (about_made(made) % options_.threads != number_) continue;  // another thread's
    worked = true;
    if (!answer(block)) waiting_.push_back(block);
  }
  return worked;
}

/// Tells epoll of connections that it does not know, edge triggered.
void Shard::watch_new() {
  for (auto* socket : table_.used()) {
    if (!socket->connected || watched_[socket->slot] == socket->generation + 1) continue;
    watched_[socket->slot] = socket->generation + 1;
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;
    event.data.u32 = socket->slot;
    const int file = socket->channel->descriptor();
    if (file >= 0) ::epoll_ctl(epoll_, EPOLL_CTL_ADD, file, &event);
    socket->in.readable = true;
  }
}

void Shard::poll_events() {
  watch_new();
  std::array<epoll_event, 128> events;
  const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
  for (int n = 0; n < count; ++n) table_.at(events[static_cast<std::size_t>(n)].data.u32).in.readable = true;
}

bool Shard::finish_close(Socket& socket) {
  const bool sent = socket.out.error != 0 || (socket.out.next == socket.last_out && socket.channel->settled());
  if (!sent && Clock::now() < socket.close_by) return false;
  if (!sent) socket.channel->reset_at_close();
  table_.free(socket);
  return true;
}

bool Shard::move(Socket& socket) {
  bool worked = move_out(net_, socket, metrics_);
  if (socket.closing) return worked;
  if (connections_ <= options_.directly || socket.channel->descriptor() < 0) socket.in.readable = true;
  if (socket.in.ended && socket.in.readable && !socket.in.gone) {
    socket.in.readable = false;
    // A socket that was shut by its own program says the same, whatever its peer does.
    const auto gone = socket.channel->hung_up();
    if (gone.send != 0 && (!socket.out.shut || gone.receive != 0)) {
      announce_gone(net_, socket, gone);
      worked = true;
    }
  }
  return move_in(net_, socket, metrics_) || worked;
}

bool Shard::sweep_sockets() {
  bool worked = false, closing = false;
  std::size_t connections = 0;
  for (auto* socket : table_.used()) {
    if (!socket->connected) continue;
    ++connections;
    worked |= move(*socket);
    closing |= socket->closing;
  }
  connections_ = connections;
  if (!closing) return worked;
  const auto used = table_.used();
  for (auto* socket : used)
    if (socket->closing) worked |= finish_close(*socket);
  return worked;
}

/// Until something can be received, or for as long as a GPU may be kept waiting.
void Shard::nap() {
  ++metrics_.naps;
  watch_new();
  pollfd item{.fd = epoll_, .events = POLLIN, .revents = 0};
  const timespec limit{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds{options_.nap}.count()};
  ::ppoll(&item, 1, &limit, nullptr);
  if (item.revents != 0) poll_events();
}

}  // namespace peerpath::gpunet
