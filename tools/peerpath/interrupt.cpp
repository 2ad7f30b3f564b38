#include "tools/peerpath/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace peerpath::cli {
namespace {

// A signal handler can reach nothing but what is global, and of that only lock-free atomics.
std::atomic<bool> noted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_signal(int signal) {
  noted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  noted = false;
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() const { return noted; }

}  // namespace peerpath::cli
