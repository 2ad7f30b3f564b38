#include "validation/agent/trial.hpp"

#include <nlohmann/json.hpp>

#include "validation/agent/connection.hpp"
#include "validation/agent/pattern.hpp"

namespace peerpath::agent {

std::string Trial::problem() const {
  if (dmabuf_bytes >= 0 && static_cast<std::uint64_t>(dmabuf_bytes) != bytes)
    return "the dma-buf has another size than the memory";
  return validated == bytes ? "" : "data differs";
}

Expected<Trial> try_memory(const Memory& memory) {
  constexpr std::uint64_t seed = 7;
  const auto buffer = make_buffer(memory);
  if (!buffer) return tl::unexpected{buffer.error()};
  const auto bytes = buffer->bytes();
  Trial trial;
  trial.bytes = bytes.size();
  if (buffer->dmabuf() >= 0) {
    trial.dmabuf_bytes = ::lseek(buffer->dmabuf(), 0, SEEK_END);
    if (trial.dmabuf_bytes < 0) return failure("size of the dma-buf");
  }
  fill_pattern(seed, 0, bytes);
  const auto start = now();
  if (auto stored = buffer->store(0, bytes.size()); !stored) return tl::unexpected{stored.error()};
  const auto stored_at = now();
  // What is compared must have come from the memory, not have stayed in the copy.
  if (!buffer->mapped()) std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  const auto fetch_at = now();
  if (auto fetched = buffer->fetch(0, bytes.size()); !fetched) return tl::unexpected{fetched.error()};
  if (!buffer->mapped()) {
    trial.store_s = stored_at - start;
    trial.fetch_s = now() - fetch_at;
  }
  trial.first_wrong = first_difference(seed, 0, bytes);
  trial.validated = trial.first_wrong < 0 ? trial.bytes : static_cast<std::uint64_t>(trial.first_wrong);
  return trial;
}

std::string trial_json(const Memory& memory, const Expected<Trial>& trial) {
  nlohmann::ordered_json out;
  out["memory"] = name_of(memory.provider);
  if (!trial) {
    out["problem"] = trial.error().what;
    out["unsupported"] = trial.error().unsupported;
    return out.dump();
  }
  out["bytes"] = trial->bytes;
  if (trial->dmabuf_bytes >= 0) out["dmabuf_bytes"] = trial->dmabuf_bytes;
  out["validated_bytes"] = trial->validated;
  out["first_wrong_byte"] = trial->first_wrong;
  out["store_seconds"] = trial->store_s;
  out["fetch_seconds"] = trial->fetch_s;
  if (const auto problem = trial->problem(); !problem.empty()) out["problem"] = problem;
  return out.dump();
}

}  // namespace peerpath::agent
