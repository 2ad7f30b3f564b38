// What the GPU's driver knows of the pages of a registered buffer, and what it does when the NIC faults on one, when
// the GPU does, and when GPU memory runs short. Source of states and policies: the Linux series "GPU Direct RDMA (P2P
// DMA) for Device Private Pages" (v2, July 2025), whose owner of a device-private page either migrates it to host
// memory (migrate_to_ram) or gives a DMA-able alias for it (get_dma_pfn_for_device).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "devices/private_pages/aperture.hpp"
#include "devices/private_pages/translations.hpp"
#include "peerpath/device/page_policy.hpp"

namespace peerpath::private_pages {

enum class State : std::uint8_t {
  vram_private,  ///< in GPU memory, and no peer can reach it
  vram_aliased,  ///< in GPU memory, and a slot of the window shows it
  host,          ///< in host memory
};

using Policy = device::PagePolicy;

/// Something that the driver has done before it goes on.
enum class Step : std::uint8_t {
  nothing,       ///< the job is over
  invalidate,    ///< the NIC forgets its translation, and its DMA drains
  unmap,         ///< the alias goes out of the window
  map,           ///< an alias comes into the window
  copy_to_host,  ///< the GPU loses the page, and its copy engine writes it to host memory
  copy_to_vram,  ///< it reads it from there, and the GPU has it back
  install,       ///< the NIC gets its translation
  refuse,        ///< the NIC hears that the page cannot be had
};
struct Action {
  Step step = Step::nothing;
  Page page = 0;
  Translation translation{};  ///< of `install`
  bool operator==(const Action&) const = default;
};

/// Since the start.
struct TableCounters {
  std::int64_t to_host = 0, to_vram = 0;  ///< pages migrated
  std::int64_t aliases = 0;               ///< pages mapped into the window
  std::int64_t displaced = 0;             ///< of the pages in it, those that gave way to others
  std::int64_t invalidations = 0;
  std::int64_t full = 0, unreachable = 0;  ///< faults that fell back to host memory, by reason
  std::int64_t refused = 0;                ///< faults that could not be served

  TableCounters& operator+=(const TableCounters& other);
};

/// One thing at a time: a job (`fault`, `touch`, `evict`) gives its first action, and `next` the one behind it when
/// that is done, until there is nothing left to do.
class PageTable {
 public:
  /// `slots`: pages that the window has room for.
  PageTable(Policy policy, std::size_t pages, std::size_t slots);

  /// The NIC has no translation. `reachable`: it can get at the GPU's window.
  Action fault(Page page, bool reachable);
  /// The GPU accesses a page that it does not have.
  Action touch(Page page);
  /// GPU memory runs short: the page goes to host memory.
  Action evict(Page page);
  /// The last action is done; `succeeded` is about copies.
  Action next(bool succeeded = true);

  bool busy() const { return !plan_.empty(); }
  State state(Page page) const { return pages_[page].state; }
  /// Where the valid copy is.
  Place place(Page page) const { return state(page) == State::host ? Place::host : Place::vram; }
  const Aperture& aperture() const { return aperture_; }
  const TableCounters& counters() const { return counters_; }

 private:
  struct Entry {
    State state = State::vram_private;
    bool installed = false;  ///< at the NIC
  };
  Action begin();
  void plan(Step step, Page page) { plan_.push_back({step, page, {}}); }
  void plan_private_fault(Page page, bool reachable);
  void revoke(Page page);
  void apply(const Action& done);

  Policy policy_;
  std::vector<Entry> pages_;
  Aperture aperture_;
  std::deque<Action> plan_;  ///< the first one is under way
  TableCounters counters_;
};

}  // namespace peerpath::private_pages
