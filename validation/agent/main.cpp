// peerpath-agent: does one half of a scenario's traffic through the kernel's own interfaces, in the emulator's guest or
// on a node. Takes a JSON object (traffic.hpp), prints one JSON document; exit 0 done and validated, 1 failed, 2 wrong
// input, 3 this kernel or driver cannot do it.
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "validation/agent/transfer.hpp"

namespace {

using namespace peerpath::agent;

constexpr std::string_view usage =
    "usage: peerpath-agent '{\"role\": \"sink\", \"api\": \"devmem\", \"interface\": \"eth0\", \"address\": "
    "\"192.0.2.1\", ...}'\n"
    "  role       sink or source\n"
    "  api        socket, devmem (Device Memory TCP), zcrx (io_uring zero-copy receive; sink only) or verbs (RDMA)\n"
    "  interface  network device; needed for devmem and zcrx\n"
    "  device     verbs: RDMA device (the first one)\n"
    "  operation  verbs, the same at either end: write, read or send (write)\n"
    "  queue      receive queue of a devmem or zcrx sink (1)\n"
    "  configure  such a sink sets header split, RSS and a flow rule, and undoes it after (true)\n"
    "  address    sink: to listen on; source: to connect to\n"
    "  port       (5201)\n"
    "  bytes      payload of the whole stream (1048576)\n"
    "  seed       of the payload's pattern (1)\n"
    "  send_size  source: bytes a send; verbs: bytes an operation, the same at either end (65536)\n"
    "  mss        TCP maximum segment size; 0 leaves it to the kernel (0)\n"
    "  timeout_s  for all of it (30)\n"
    "  memory     {\"provider\": host, udmabuf, virtio_gpu or p2pdma, \"path\": device node, \"bytes\": 4194304}\n";

extern "C" void on_timeout(int) {
  constexpr std::string_view text = "{\"problem\": \"timed out\"}\n";
  static_cast<void>(!::write(1, text.data(), text.size()));
  ::_exit(1);
}

Expected<Outcome> transfer(const Traffic& traffic) {
  if (traffic.api == Api::verbs) return move_by_verbs(traffic);
  if (traffic.role == Role::source) {
    return traffic.api == Api::devmem ? send_by_devmem(traffic) : send_by_socket(traffic);
  }
  switch (traffic.api) {
    case Api::socket:
      return receive_by_socket(traffic);
    case Api::devmem:
      return receive_by_devmem(traffic);
    case Api::zcrx:
      return receive_by_zcrx(traffic);
    case Api::verbs:
      break;
  }
  return tl::unexpected{Failure{"unknown api"}};
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fputs(usage.data(), stderr);
    return 2;
  }
  if (std::string_view{words[1]} == "--help") {
    std::fputs(usage.data(), stdout);
    return 0;
  }
  const auto traffic = read_traffic(words[1]);
  if (!traffic) {
    std::fprintf(stderr, "peerpath-agent: %s\n", traffic.error().what.c_str());
    return 2;
  }
  std::signal(SIGALRM, on_timeout);
  ::alarm(static_cast<unsigned>(traffic->timeout_s));
  const auto outcome = transfer(*traffic);
  std::puts(report_json(*traffic, outcome).c_str());
  if (!outcome) return outcome.error().unsupported ? 3 : 1;
  return outcome->first_wrong < 0 && outcome->bytes == traffic->bytes ? 0 : 1;
}
