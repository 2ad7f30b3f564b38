#include "tools/peerpath/batch/child_pool.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace peerpath::cli {
namespace {

/// A file in memory, which parent and child share.
class SharedText {
 public:
  SharedText() : file_{memfd_create("peerpath", MFD_CLOEXEC)} {
    if (file_ < 0) throw std::system_error{errno, std::generic_category(), "no memory for another child"};
  }
  SharedText(SharedText&& other) noexcept : file_{std::exchange(other.file_, -1)} {}
  SharedText& operator=(SharedText&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~SharedText() {
    if (file_ >= 0) close(file_);
  }

  int file() const { return file_; }
  /// False if there is no room.
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const auto n = ::write(file_, text.data(), text.size());
      if (n < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  std::string read() const {
    std::string text;
    std::array<char, 65536> block{};
    for (ssize_t n = 0; (n = pread(file_, block.data(), block.size(), static_cast<off_t>(text.size()))) > 0;)
      text.append(block.data(), static_cast<std::size_t>(n));
    return text;
  }

 private:
  int file_;
};

struct Child {
  pid_t id = 0;
  std::size_t index = 0;
  SharedText output, said;
};

/// While it lives, SIGCHLD is kept for sigtimedwait.
class ChildSignal {
 public:
  ChildSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  ChildSignal(const ChildSignal&) = delete;
  ChildSignal& operator=(const ChildSignal&) = delete;
  ~ChildSignal() { unblock(); }

  void unblock() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  /// Until a child ends, another signal comes, or a tenth of a second has passed.
  void wait() const {
    const timespec tenth{0, 100'000'000};
    sigtimedwait(&set_, nullptr, &tenth);
  }

 private:
  sigset_t set_{}, before_{};
};

[[noreturn]] void be_child(const Child& child, const ChildPool& pool, const ChildSignal& signal, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read what comes after the parent's end
  if (getppid() != parent) _exit(1);
  signal.unblock();
  dup2(child.said.file(), STDERR_FILENO);
  int status = 1;
  try {
    if (child.output.write(pool.work(child.index)))
      status = 0;
    else
      std::fprintf(stderr, "no memory for the results\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "exception: %s\n", e.what());
  } catch (...) {
    std::fputs("exception of unknown type\n", stderr);
  }
  std::fflush(stderr);
  _exit(status);  // the parent's buffers and files are not this one's to close
}

Child start(std::size_t index, const ChildPool& pool, const ChildSignal& signal) {
  Child child;
  child.index = index;
  std::fflush(nullptr);  // else a child that ends by `fail` writes the parent's text once more
  const auto parent = getpid();
  child.id = fork();
  if (child.id < 0) throw std::system_error{errno, std::generic_category(), "cannot start a child"};
  if (child.id == 0) be_child(child, pool, signal, parent);
  return child;
}

ChildEnd end_of(const Child& child, int status) {
  ChildEnd end{child.output.read(), {}};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return end;
  end.crash = WIFSIGNALED(status)
                  ? "killed by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")"
                  : "ended with status " + std::to_string(WEXITSTATUS(status));
  auto said = child.said.read();
  while (said.ends_with('\n')) said.pop_back();
  if (!said.empty()) end.crash += ": " + said;
  return end;
}

}  // namespace

void run_children(std::size_t count, const ChildPool& pool) {
  const ChildSignal signal;
  std::vector<Child> running;
  std::size_t next = 0;
  bool stopped = false;
  while (true) {
    if (!stopped && pool.stop && pool.stop()) {
      stopped = true;
      for (const auto& child : running) kill(child.id, SIGTERM);
    }
    while (!stopped && next < count && running.size() < static_cast<std::size_t>(pool.jobs))
      running.push_back(start(next++, pool, signal));
    if (running.empty()) return;
    bool any = false;
    for (std::size_t n = 0; n < running.size();) {
      int status = 0;
      if (waitpid(running[n].id, &status, WNOHANG) != running[n].id) {
        ++n;
        continue;
      }
      any = true;
      const auto child = std::move(running[n]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(n));
      pool.ended(child.index, end_of(child, status));
    }
    if (pool.tick) pool.tick();
    if (!any) signal.wait();
  }
}

}  // namespace peerpath::cli
