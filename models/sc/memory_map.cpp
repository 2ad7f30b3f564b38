#include "sc/memory_map.hpp"

#include <algorithm>
#include <limits>

#include "sc/foreign_endpoint.hpp"

namespace peerpath::sc {
namespace {

std::uint64_t last_of(const Window& window) { return window.base + window.size - 1; }

/// Leaves of a region what lies in the window too.
void clip(tlm::tlm_dmi& dmi, const Window& window) {
  if (dmi.get_start_address() < window.base) {
    if (dmi.get_dmi_ptr() != nullptr) dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (window.base - dmi.get_start_address()));
    dmi.set_start_address(window.base);
  }
  dmi.set_end_address(std::min<std::uint64_t>(dmi.get_end_address(), last_of(window)));
}

/// From a target's addresses to those of the bus.
void shift(tlm::tlm_dmi& dmi, std::uint64_t by) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  dmi.set_start_address(dmi.get_start_address() + by);
  dmi.set_end_address(dmi.get_end_address() > most - by ? most : dmi.get_end_address() + by);
}

bool deny(tlm::tlm_dmi& dmi, std::uint64_t first, std::uint64_t last) {
  dmi.set_start_address(first);
  dmi.set_end_address(last);
  dmi.allow_read_write();  // with the answer false: the accesses that are denied
  return false;
}

}  // namespace

const MemoryMap::Claim* MemoryMap::find(std::uint64_t address, std::uint64_t size) const {
  for (const auto& claim : claims())
    if (claim.window.contains(address)) return size - 1 <= last_of(claim.window) - address ? &claim : nullptr;
  return nullptr;
}

ForeignEndpoint* MemoryMap::foreign_at(fabric::NodeId node) const {
  const auto found = foreign_.find(node);
  return found == foreign_.end() ? nullptr : found->second;
}

MemoryMap::Keeper MemoryMap::keeper(fabric::NodeId from, const Claim& claim) const {
  if (const auto via = passages_.via(from, claim.node)) return {foreign_at(*via), 0};
  return claim.memory ? Keeper{foreign_at(claim.node), claim.shift} : Keeper{};
}

unsigned MemoryMap::debug(fabric::NodeId from, tlm::tlm_generic_payload& payload) {
  const auto address = payload.get_address();
  const auto length = payload.get_data_length();
  auto* const data = payload.get_data_ptr();
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND || data == nullptr) return 0;
  unsigned done = 0;
  while (done < length) {
    const auto at = address + done;
    const auto* claim = find(at);
    if (claim == nullptr || !claim->memory) break;
    const auto size = static_cast<unsigned>(std::min<std::uint64_t>(length - done, last_of(claim->window) - at + 1));
    unsigned moved = size;
    if (const auto [foreign, by] = keeper(from, *claim); foreign != nullptr) {
      payload.set_address(at - by);
      payload.set_data_ptr(data + done);
      payload.set_data_length(size);
      moved = std::min(size, foreign->debug(payload));
      payload.set_address(address);
      payload.set_data_ptr(data);
      payload.set_data_length(length);
    } else if (payload.is_write()) {
      image(claim->node).write(at, data + done, size);
    } else {
      image(claim->node).read(at, data + done, size);
    }
    done += moved;
    if (moved < size) break;
  }
  return done;
}

bool MemoryMap::direct(fabric::NodeId from, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const auto address = payload.get_address();
  const auto* claim = find(address);
  if (claim == nullptr) return deny(dmi, address, address);
  if (!claim->memory) return deny(dmi, claim->window.base, last_of(claim->window));
  if (const auto [foreign, by] = keeper(from, *claim); foreign != nullptr) {
    payload.set_address(address - by);
    const bool granted = foreign->direct(payload, dmi);
    payload.set_address(address);
    shift(dmi, by);
    clip(dmi, claim->window);
    return granted;
  }
  const auto first = address / MemoryImage::piece_size * MemoryImage::piece_size;
  dmi.init();
  dmi.set_dmi_ptr(image(claim->node).piece(address));
  dmi.set_start_address(first);
  dmi.set_end_address(first + MemoryImage::piece_size - 1);
  dmi.allow_read_write();
  clip(dmi, claim->window);
  return true;
}

}  // namespace peerpath::sc
