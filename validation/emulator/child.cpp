#include "validation/emulator/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <utility>

namespace peerpath::emulator {

Child::Child(const std::vector<std::string>& command, const std::filesystem::path& errors) {
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::array<int, 2> pipe{-1, -1};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    ended_ = true;
    return;
  }
  process_ = ::fork();
  if (process_ == 0) {
    // Only what is safe between fork and exec.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0);  // Ctrl-C is for this program, which then ends the child
    const int nothing = ::open("/dev/null", O_RDONLY);
    const int log = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(nothing, 0);
    ::dup2(pipe[1], 1);
    ::dup2(log, 2);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  output_ = pipe[0];
  ended_ = process_ < 0;
}

Child::~Child() {
  kill();
  if (output_ >= 0) ::close(output_);
}

void Child::kill() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::string Child::finish(std::chrono::seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (process_ > 0 && std::chrono::steady_clock::now() < end) {
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                 : "exit status " + std::to_string(WEXITSTATUS(status));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  kill();
  return "killed";
}

std::vector<std::string> Child::lines(std::chrono::milliseconds patience) {
  std::vector<std::string> out;
  if (ended_) return out;
  pollfd poll{output_, POLLIN, 0};
  if (::poll(&poll, 1, static_cast<int>(patience.count())) <= 0) return out;
  std::array<char, 4096> piece{};
  const auto got = ::read(output_, piece.data(), piece.size());
  if (got <= 0) {
    ended_ = true;
    if (!rest_.empty()) out.push_back(std::exchange(rest_, {}));
    return out;
  }
  rest_.append(piece.data(), static_cast<std::size_t>(got));
  for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
    auto line = rest_.substr(0, end);
    while (!line.empty() && line.back() == '\r') line.pop_back();
    out.push_back(std::move(line));
    rest_.erase(0, end + 1);
  }
  return out;
}

}  // namespace peerpath::emulator
