// peerpath-agent: does one half of a scenario's traffic through the kernel's own interfaces, in the emulator's guest or
// on a node. Takes a JSON object (traffic.hpp), prints one JSON document; exit 0 done and validated, 1 failed, 2 wrong
// input, 3 this kernel or driver cannot do it.
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "validation/agent/serve.hpp"
#include "validation/agent/transfer.hpp"
#include "validation/agent/trial.hpp"

namespace {

using namespace peerpath::agent;

constexpr std::string_view usage =
    "usage: peerpath-agent '{\"role\": \"sink\", \"api\": \"devmem\", \"interface\": \"eth0\", \"address\": "
    "\"192.0.2.1\", ...}'\n"
    "       peerpath-agent --serve ADDRESS [PORT]   does what `peerpath measure --peer` asks for, until it is ended "
    "(5200)\n"
    "       peerpath-agent --try-memory '{\"provider\": \"cuda\", ...}'   no NIC: a `memory`'s dma-buf, data to and "
    "fro\n"
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
    "  memory     {\"provider\": host, udmabuf, virtio_gpu, p2pdma, cuda or hip, \"path\": device node or library,\n"
    "             \"bytes\": 4194304}. cuda and hip are the first GPU (CUDA_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES) and\n"
    "             need peerpath-agent-gpu: the static peerpath-agent cannot load a GPU's driver\n";

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

/// One half of one transfer; the exit status.
int do_one(const std::string& json) {
  const auto traffic = read_traffic(json);
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

int do_trial(const std::string& json) {
  const auto memory = read_memory(json);
  if (!memory) {
    std::fprintf(stderr, "peerpath-agent: %s\n", memory.error().what.c_str());
    return 2;
  }
  const auto trial = try_memory(*memory);
  std::puts(trial_json(*memory, trial).c_str());
  if (!trial) return trial.error().unsupported ? 3 : 1;
  return trial->problem().empty() ? 0 : 1;
}

int do_serve(const std::string& address, const std::string& port) {
  char* end = nullptr;
  const auto number = std::strtol(port.c_str(), &end, 10);
  if (*end != 0 || number < 1 || number > 65535) {
    std::fprintf(stderr, "peerpath-agent: '%s' is not a port, 1 to 65535\n", port.c_str());
    return 2;
  }
  const auto failed = serve(address, static_cast<int>(number), do_one);
  std::fprintf(stderr, "peerpath-agent: %s\n", failed.what.c_str());
  return 1;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view first = count > 1 ? words[1] : "";
  if (first == "--help") {
    std::fputs(usage.data(), stdout);
    return 0;
  }
  if (first == "--serve" && (count == 3 || count == 4)) return do_serve(words[2], count == 4 ? words[3] : "5200");
  if (first == "--try-memory" && count == 3) return do_trial(words[2]);
  if (count != 2 || first == "--try-memory" || first == "--serve") {
    std::fputs(usage.data(), stderr);
    return 2;
  }
  return do_one(words[1]);
}
