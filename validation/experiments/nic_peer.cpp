#include "validation/experiments/nic_peer.hpp"

#include <ifaddrs.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "validation/experiments/json_line.hpp"

namespace peerpath::experiments {
namespace {

constexpr const char* usual_port = "5200";
constexpr int timeout_s = 20;

struct Missing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Handle {
 public:
  explicit Handle(int number) : number_{number} {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

std::string agent_program(const NicOptions& options) {
  if (!options.agent.empty()) return options.agent;
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  // It does all that the static one does, and can load the driver of a GPU.
  const auto dynamic = here / "peerpath-agent-gpu";
  return (std::filesystem::exists(dynamic, error) ? dynamic : here / "peerpath-agent").string();
}

/// "ADDRESS", "ADDRESS:PORT", "[ADDRESS]:PORT"
std::pair<std::string, std::string> split_peer(const std::string& peer) {
  if (peer.starts_with('[')) {
    const auto end = peer.find(']');
    const auto rest = end == std::string::npos ? "" : peer.substr(end + 1);
    return {peer.substr(1, end - 1), rest.starts_with(':') ? rest.substr(1) : usual_port};
  }
  const auto colon = peer.find(':');
  if (colon == std::string::npos || peer.find(':', colon + 1) != std::string::npos) return {peer, usual_port};
  return {peer.substr(0, colon), peer.substr(colon + 1)};
}

int connect_to_peer(const std::string& peer) {
  const auto [address, port] = split_peer(peer);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  if (const auto error = ::getaddrinfo(address.c_str(), port.c_str(), &hints, &found); error != 0)
    throw Missing{"the peer " + peer + ": " + gai_strerror(error)};
  int socket = -1;
  for (auto* at = found; at != nullptr && socket < 0; at = at->ai_next) {
    socket = ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket >= 0 && ::connect(socket, at->ai_addr, at->ai_addrlen) != 0) {
      ::close(socket);
      socket = -1;
    }
  }
  ::freeaddrinfo(found);
  if (socket < 0) throw Missing{"no `peerpath-agent --serve` answers at " + peer};
  return socket;
}

std::string address_text(const sockaddr* address) {
  std::array<char, NI_MAXHOST> text{};
  const auto length =
      static_cast<socklen_t>(address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  ::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return text.data();
}

/// This machine's address towards the peer.
std::string here(int connection) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  ::getsockname(connection, reinterpret_cast<sockaddr*>(&address), &length);
  return address_text(reinterpret_cast<const sockaddr*>(&address));
}

/// The network device that has an address of this machine.
std::string interface_of(const std::string& address) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return {};
  std::string name;
  for (auto* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || (at->ifa_addr->sa_family != AF_INET && at->ifa_addr->sa_family != AF_INET6))
      continue;
    if (address_text(at->ifa_addr) == address) name = at->ifa_name;
  }
  ::freeifaddrs(all);
  return name;
}

/// Data goes to the port after the peer's own.
int data_port(const std::string& peer) { return std::atoi(split_peer(peer).second.c_str()) + 1; }

std::string half(const NicStream& stream, bool sink, const std::string& address, int port) {
  const bool in_device_memory = stream.api == "devmem" || stream.api == "zcrx";
  JsonLine line;
  line.add("role", sink ? "sink" : "source").add("address", address).add("port", port);
  line.add("api", sink || stream.api == "verbs" ? stream.api : std::string{"socket"});
  if (!stream.operation.empty()) line.add("operation", stream.operation);
  if (sink && in_device_memory) line.add("interface", interface_of(address));
  line.add("bytes", stream.bytes).add("send_size", stream.each).add("timeout_s", timeout_s);
  JsonLine memory;
  memory.add("provider", sink ? stream.provider : std::string{"host"});
  if (sink && !stream.path.empty()) memory.add("path", stream.path);
  memory.add("bytes", std::max<std::int64_t>((stream.bytes + 4095) / 4096 * 4096, 4 << 20));
  return line.add_raw("memory", memory.text()).text();
}

/// The agent here, as a child; what it prints and says comes out of `output`.
class Child {
 public:
  Child(const std::string& program, const std::string& json) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error{"pipe failed"};
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], 1);
      ::dup2(ends[1], 2);
      ::close(ends[0]);
      ::execl(program.c_str(), program.c_str(), json.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    output = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::close(output);
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  int output = -1;

 private:
  pid_t process_ = -1;
};

/// Appends what there is; false at the end.
bool read_some(int from, std::string& text) {
  std::array<char, 4096> piece{};
  const auto got = ::read(from, piece.data(), piece.size());
  if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0;
}

/// The agent's report is one line that it wrote itself; its members are found by name.
std::string member(const std::string& report, const std::string& name) {
  const auto at = report.find("\"" + name + "\":");
  if (at == std::string::npos) return {};
  auto begin = at + name.size() + 3;
  if (report[begin] == ' ') ++begin;
  if (report[begin] == '"') return report.substr(begin + 1, report.find('"', begin + 1) - begin - 1);
  return report.substr(begin, report.find_first_of(",}", begin) - begin);
}

/// What one end did, into `outcome`.
void take(const std::string& end, const std::string& text, StreamOutcome& outcome) {
  const auto begin = text.find('{');
  const auto report = begin == std::string::npos ? std::string{} : text.substr(begin);
  const auto problem = report.empty() ? "no report: " + text.substr(0, text.find('\n')) : member(report, "problem");
  if (!problem.empty()) {
    if (outcome.problem.empty() || member(report, "unsupported") == "true") outcome.problem = end + ": " + problem;
    outcome.unsupported = outcome.unsupported || member(report, "unsupported") == "true";
    return;
  }
  outcome.seconds = std::max(outcome.seconds, std::strtod(member(report, "seconds").c_str(), nullptr));
}

}  // namespace

StreamOutcome move_stream(const NicOptions& options, const NicStream& stream) try {
  const Handle peer{connect_to_peer(options.peer)};
  const auto address = here(peer.get());
  const Child child{agent_program(options), half(stream, true, address, data_port(options.peer))};
  const auto request = half(stream, false, address, data_port(options.peer)) + "\n";
  std::string from_child, from_peer;
  bool asked = false, child_ended = false, peer_ended = false;
  while (!child_ended || (asked && !peer_ended)) {
    std::array<pollfd, 2> waits{
        {{child_ended ? -1 : child.output, POLLIN, 0}, {peer_ended ? -1 : peer.get(), POLLIN, 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0) throw std::runtime_error{"poll failed"};
    if (waits[0].revents != 0) child_ended = !read_some(child.output, from_child);
    if (waits[1].revents != 0) peer_ended = !read_some(peer.get(), from_peer);
    if (!asked && from_child.find("listening at") != std::string::npos) {
      asked = ::send(peer.get(), request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size());
      if (!asked) throw Missing{"the peer went away"};
    }
    // An end that failed leaves the other one waiting.
    if (child_ended && from_child.find("\"problem\"") != std::string::npos) break;
    if (peer_ended && from_peer.find("\"problem\"") != std::string::npos) break;
    if (!asked && peer_ended) throw Missing{"the peer went away"};
  }
  StreamOutcome outcome;
  if (child_ended) take("here", from_child, outcome);
  if (peer_ended) take("there", from_peer, outcome);
  const auto wanted = std::to_string(stream.bytes);
  outcome.correct = outcome.problem.empty() && member(from_child, "validated_bytes") == wanted;
  return outcome;
} catch (const Missing& e) {
  return {0, false, e.what(), true};
}

std::string nothing_to_move_with(const NicOptions& options) {
  if (options.peer.empty()) return "another machine, where `peerpath-agent --serve ADDRESS` runs: --peer ADDRESS";
  const auto agent = agent_program(options);
  if (::access(agent.c_str(), X_OK) != 0) return "the program " + agent;
  return "";
}

}  // namespace peerpath::experiments
