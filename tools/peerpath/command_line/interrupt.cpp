#include "tools/peerpath/command_line/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace peerpath::cli {
namespace {

// A signal handler may access only globals, and of these only lock-free atomics.
std::atomic<bool> noted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_signal(int signal) {
  noted = true;
  std::signal(signal, SIG_DFL);
}

/// nohup has SIGHUP ignored, a shell's background job SIGINT: that stays so.
void set_unless_ignored(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  noted = false;
  set_unless_ignored(note_signal);
}

InterruptGuard::~InterruptGuard() { set_unless_ignored(SIG_DFL); }

bool InterruptGuard::interrupted() const { return noted; }

}  // namespace peerpath::cli
