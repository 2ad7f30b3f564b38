// In place of gpu_memory.cpp in a static program, which loads no libraries.
#include "validation/agent/memory.hpp"

namespace peerpath::agent {

Expected<Buffer> make_gpu_buffer(const Memory&) {
  return tl::unexpected{Failure{"this agent is static and cannot load a GPU's driver; peerpath-agent-gpu can", true}};
}

}  // namespace peerpath::agent
