// Says hello to a server, and gives back in capitals what it answers.
#include "peerpath/validation/gpunet/sockets.hpp"

using namespace peerpath::gpunet;

template <Threadblock Block>
constexpr void client(Block& block, const Address& server) {
  unsigned char* text = block.shared().scratch;
  const int socket = gsocket(block, server.family);
  if (gconnect(block, socket, server) < 0) return;
  gsend(block, socket, "hello from a threadblock\n", 25);
  const auto got = grecv(block, socket, text, 256);
  for (auto i = std::int64_t{block.thread()}; i < got; i += block.threads())
    if (text[i] >= 'a' && text[i] <= 'z') text[i] ^= 32;
  block.sync();
  if (got > 0) gsend(block, socket, text, static_cast<std::uint64_t>(got));
  gclose(block, socket);
}

#if defined(__CUDACC__) || defined(__HIPCC__)
#include "validation/gpunet/gpu/block.hpp"

extern "C" __global__ void run_client(Net net, Address server) {
  __shared__ Shared shared;
  gpu::Block block{net, shared};
  client(block, server);
}
#else
#include <cstdlib>

#include "validation/gpunet/emulation/grid.hpp"
#include "validation/gpunet/proxy/proxy.hpp"

int main(int, char** arguments) {
  const auto server = tcp_address(loopback, static_cast<std::uint16_t>(std::atoi(arguments[1])));
  emulation::HostNet host{{.sockets = 4, .blocks = 1}};
  Proxy proxy{host.net(), {}};
  emulation::Grid grid{host.net(), {.blocks = 1, .threads = 4}, [&](auto& block) { client(block, server); }};
}
#endif
