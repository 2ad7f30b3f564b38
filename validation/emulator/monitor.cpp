#include "validation/emulator/monitor.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

namespace peerpath::emulator {
namespace {

using Json = nlohmann::json;
constexpr int patience_ms = 10'000;

}  // namespace

Monitor::~Monitor() {
  if (socket_ >= 0) ::close(socket_);
}

bool Monitor::connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path_.c_str(), path_.size());
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return socket_ >= 0 && ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

tl::expected<std::string, std::string> Monitor::line() {
  while (true) {
    if (const auto end = rest_.find('\n'); end != std::string::npos) {
      auto found = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      return found;
    }
    pollfd ready{socket_, POLLIN, 0};
    std::array<char, 4096> bytes;
    const auto size = ::poll(&ready, 1, patience_ms) > 0 ? ::read(socket_, bytes.data(), bytes.size()) : -1;
    if (size <= 0) return tl::unexpected{std::string{"QEMU's monitor does not answer"}};
    rest_.append(bytes.data(), static_cast<std::size_t>(size));
  }
}

tl::expected<std::string, std::string> Monitor::exchange(const std::string& command) {
  const auto text = command + "\n";
  if (::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    return tl::unexpected{std::string{"QEMU's monitor is gone"}};
  while (true) {
    const auto answer = line();
    if (!answer) return answer;
    const auto document = Json::parse(*answer, nullptr, false);
    if (document.contains("return")) return document["return"].dump();
    if (document.contains("error")) return tl::unexpected{command + ": " + document["error"].value("desc", *answer)};
  }  // what is neither is an event, or the greeting
}

tl::expected<std::string, std::string> Monitor::run(const std::string& command) {
  if (socket_ < 0) {
    if (!connect()) return tl::unexpected{"QEMU's monitor cannot be reached at " + path_};
    if (const auto ready = exchange(R"({"execute": "qmp_capabilities"})"); !ready) return ready;
  }
  return exchange(command);
}

}  // namespace peerpath::emulator
