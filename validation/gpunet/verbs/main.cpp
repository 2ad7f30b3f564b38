// gpunet-verbs: sockets over an RDMA device of this machine, threads of the CPU in place of GPUs, both ends here; all
// content is checked. A line of JSON, as peerpath-agent's, with the path: from and into a dma-buf, or why by bounce
// buffers. Static, for the emulator's guest.
#include <arpa/inet.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "validation/gpunet/run/mapreduce.hpp"
#include "validation/gpunet/run/trials.hpp"
#include "validation/gpunet/verbs/verbs_channel.hpp"

namespace {

using namespace peerpath::gpunet;

constexpr unsigned slices = 8;  // connections of a node
constexpr const char* help = "usage: gpunet-verbs IP PORT DEVICE stream|words BYTES COUNT\n";

using Lent = std::vector<std::shared_ptr<DirectMemory>>;  ///< of each node

void tell(const Lent& lent, std::uint64_t bytes, std::uint64_t right, double seconds) {
  std::string path = "dma-buf";
  for (const auto& memory : lent)
    if (const auto why = memory->refused(); !why.empty()) path = "bounce (" + why + ")";
  std::printf(
      "{\"role\":\"sink\",\"api\":\"gpunet\",\"path\":\"%s\",\"bytes\":%llu,\"validated_bytes\":%llu,\"seconds\":%.6f}"
      "\n",
      path.c_str(), static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(right), seconds);
}

/// Messages from two blocks of one node to two of another.
int stream(const run::Trial& trial, const Lent& lent, std::uint64_t bytes, std::uint64_t count) {
  const auto timing = run::stream(trial, bytes, count, 2, 1, 1);
  const auto all = 2 * bytes * count;
  tell(lent, all, timing.right ? all : 0, timing.ns.front() / 1e9);
  return timing.right ? 0 : 1;
}

/// Words of a text counted by two nodes, which exchange them, against a count by hand.
int words(const run::Trial& trial, const Lent& lent, std::uint64_t bytes) {
  const auto text = run::make_text(bytes, 1);
  const auto counted = run::count_words(trial, text, 2, 1);
  std::map<std::string, std::uint64_t> expected;
  std::string word;
  for (const char letter : text + " ") {
    const auto lower = static_cast<char>(letter | 0x20);
    if (lower >= 'a' && lower <= 'z') {
      word += lower;
    } else if (!word.empty()) {
      ++expected[word];
      word.clear();
    }
  }
  const bool right = counted.right && counted.words == expected;
  tell(lent, text.size(), right ? text.size() : 0, counted.seconds);
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  in_addr ip{};
  if (argc != 7 || ::inet_pton(AF_INET, argv[1], &ip) != 1) return std::fputs(help, stderr), 2;
  const auto number = [&](int n) { return std::strtoull(argv[n], nullptr, 10); };
  const std::string device = argv[3], what = argv[4];
  if (const auto probe = Messages::open(device, {}); !probe) {
    std::printf("{\"role\":\"sink\",\"api\":\"gpunet\",\"problem\":\"%s\",\"unsupported\":%s}\n",
                probe.error().what.c_str(), probe.error().unsupported ? "true" : "false");
    return 3;
  }
  Lent lent;
  const auto open = [&](int, const Dimensions& size, ProxyOptions proxy) {
    proxy.direct = lent.emplace_back(std::make_shared<DirectMemory>(slices));
    proxy.others = verbs_channels(device, proxy.direct);
    return run::open_cpu(size, proxy);
  };
  const run::Trial trial{open, 2, rdma_address(ntohl(ip.s_addr), static_cast<std::uint16_t>(number(2)))};
  if (what == "stream") return stream(trial, lent, number(5), number(6));
  if (what == "words") return words(trial, lent, number(5));
  return std::fputs(help, stderr), 2;
}
