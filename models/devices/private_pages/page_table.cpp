#include "devices/private_pages/page_table.hpp"

#include "peerpath/base/fail.hpp"

namespace peerpath::private_pages {

TableCounters& TableCounters::operator+=(const TableCounters& other) {
  to_host += other.to_host;
  to_vram += other.to_vram;
  aliases += other.aliases;
  displaced += other.displaced;
  invalidations += other.invalidations;
  full += other.full;
  unreachable += other.unreachable;
  refused += other.refused;
  return *this;
}

PageTable::PageTable(Policy policy, std::size_t pages, std::size_t slots)
    : policy_{policy}, pages_(pages), aperture_{slots} {}

Action PageTable::fault(Page page, bool reachable) {
  require(!busy(), "the driver handles one operation at a time");
  if (state(page) == State::vram_private)
    plan_private_fault(page, reachable);
  else
    plan(Step::install, page);
  return begin();
}

void PageTable::plan_private_fault(Page page, bool reachable) {
  const bool full = aperture_.full();
  const bool falls_back = policy_ == Policy::alias_with_fallback && (full || !reachable);
  if (policy_ == Policy::migrate || falls_back) {
    if (falls_back) ++(reachable ? counters_.full : counters_.unreachable);
    plan(Step::copy_to_host, page);
    return plan(Step::install, page);
  }
  const auto oldest = aperture_.oldest();
  if (!reachable || (full && !oldest)) return plan(Step::refuse, page);
  if (full) {
    revoke(*oldest);
    plan(Step::unmap, *oldest);
    ++counters_.displaced;
  }
  plan(Step::map, page);
  plan(Step::install, page);
}

Action PageTable::touch(Page page) {
  require(!busy(), "the driver handles one operation at a time");
  if (state(page) != State::host) return {};
  revoke(page);
  plan(Step::copy_to_vram, page);
  return begin();
}

Action PageTable::evict(Page page) {
  require(!busy(), "the driver handles one operation at a time");
  if (state(page) == State::host) return {};
  revoke(page);
  if (state(page) == State::vram_aliased) plan(Step::unmap, page);
  plan(Step::copy_to_host, page);
  return begin();
}

/// Whatever moves a page first takes its translation from the NIC.
void PageTable::revoke(Page page) {
  if (pages_[page].installed) plan(Step::invalidate, page);
}

Action PageTable::begin() {
  if (plan_.empty()) return {};
  auto& first = plan_.front();
  if (first.step == Step::install)
    first.translation = {place(first.page),
                         state(first.page) == State::vram_aliased ? aperture_.slot_of(first.page) : 0U};
  return first;
}

Action PageTable::next(bool succeeded) {
  require(busy(), "a finished operation was not in progress");
  const auto done = plan_.front();
  plan_.pop_front();
  if (succeeded) {
    apply(done);
  } else {  // the page stays where it was; only a fault waits for an answer
    const bool awaited = !plan_.empty() && plan_.back().step == Step::install;
    plan_.clear();
    if (awaited) plan(Step::refuse, done.page);
  }
  return begin();
}

void PageTable::apply(const Action& done) {
  auto& page = pages_[done.page];
  switch (done.step) {
    case Step::nothing:
      return;
    case Step::invalidate:
      page.installed = false;
      ++counters_.invalidations;
      return;
    case Step::unmap:
      aperture_.unmap(done.page);
      page.state = State::vram_private;
      return;
    case Step::map:
      aperture_.map(done.page);
      page.state = State::vram_aliased;
      ++counters_.aliases;
      return;
    case Step::copy_to_host:
      page.state = State::host;
      ++counters_.to_host;
      return;
    case Step::copy_to_vram:
      page.state = State::vram_private;
      ++counters_.to_vram;
      return;
    case Step::install:
      page.installed = true;
      return;
    case Step::refuse:
      ++counters_.refused;
      return;
  }
}

}  // namespace peerpath::private_pages
