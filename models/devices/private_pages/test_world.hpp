// A NIC, a driver and a copy engine that send each other messages in every order that can be, for tests; and a memory
// with real bytes beside the digests, as the oracle.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "devices/private_pages/page_table.hpp"

namespace peerpath::private_pages {

/// What one of the parts does wrong.
enum class Flaw : std::uint8_t { none, no_drain, repeats, forgets_copy };

/// Each byte holds the sum of all that was written to it.
class ByteMemory {
 public:
  static constexpr std::int64_t page_size = 32;
  explicit ByteMemory(std::size_t pages) : bytes_(pages * page_size) {}

  void write(Page page, const Piece& piece, std::int64_t offset) {
    for (auto i = piece.begin; i < piece.end; ++i)
      bytes_[static_cast<std::size_t>(page * page_size + offset + i - piece.begin)] +=
          mix(piece.message ^ mix(static_cast<std::uint64_t>(i)));
  }
  void copy(const ByteMemory& from, Page page) {
    std::copy_n(from.bytes_.begin() + page * page_size, page_size, bytes_.begin() + page * page_size);
  }
  bool equal(const ByteMemory& other, Page page) const {
    return std::equal(bytes_.begin() + page * page_size, bytes_.begin() + (page + 1) * page_size,
                      other.bytes_.begin() + page * page_size);
  }

 private:
  std::vector<std::uint64_t> bytes_;
};

class World {
 public:
  World(std::uint64_t seed, Flaw flaw)
      : random_{seed, "private pages"},
        flaw_{flaw},
        pages_{2 + below(4)},
        table_{static_cast<Policy>(below(3)), pages_, 1 + below(3)},
        contents_{pages_},
        translations_{pages_},
        vram_{pages_},
        host_{pages_},
        wanted_{pages_},
        reported_(pages_),
        resident_(pages_, true),
        touched_(pages_),
        queue_pairs_(1 + below(3)) {}

  /// Plays until all messages are over, `steps` with disturbance first. Returns whether it came to an end.
  bool play(int steps) {
    for (int i = 0; i < steps; ++i) step(true);
    for (int i = 0; i < 100'000; ++i)
      if (!step(false)) return idle();
    return false;
  }

  Verdict verdict() const {
    Verdict verdict;
    for (Page page = 0; page < pages_; ++page) contents_.judge(page, table_.place(page), {}, verdict);
    return verdict;
  }
  bool bytes_are_right() const {
    for (Page page = 0; page < pages_; ++page)
      if (!(table_.place(page) == Place::vram ? vram_ : host_).equal(wanted_, page)) return false;
    return true;
  }
  const TableCounters& counters() const { return table_.counters(); }
  int completed() const { return completed_; }
  int drained_late() const { return drained_late_; }

 private:
  struct Message {
    std::uint64_t number = 0;
    std::int64_t start = 0, size = 0, sent = 0, landed = 0;
    bool failed = false;
  };
  struct QueuePair {
    std::optional<Message> message{};
    std::optional<Page> waits_for{};
  };
  struct Dma {
    std::size_t queue_pair = 0;
    Page page = 0;
    Place place{};
    std::int64_t offset = 0;
    Piece piece{};
  };
  struct Event {
    enum class What : std::uint8_t { fault, touch, evict, drained, copied };
    What what{};
    Page page = 0;
  };

  std::uint64_t below(std::uint64_t bound) { return random_.next() % bound; }
  ByteMemory& bytes(Place place) { return place == Place::vram ? vram_ : host_; }

  /// Something that can happen now does; false if nothing can.
  bool step(bool disturb) {
    for (int attempt = 0; attempt < 64; ++attempt)
      if (happen(below(8), disturb)) return true;
    for (std::uint64_t what = 0; what < 8; ++what)
      if (happen(what, disturb)) return true;
    return false;
  }

  bool happen(std::uint64_t what, bool disturb) {
    switch (what) {
      case 0:
      case 1:
        return send(below(queue_pairs_.size()), disturb) || (!disturb && send_any());
      case 2:
        return land();
      case 3:
        return hear();
      case 4:
        return serve();
      case 5:
        return copy();
      case 6:
        if (!disturb) return false;
        gpu_writes(static_cast<Page>(below(pages_)));
        return true;
      default:
        if (!disturb || below(4) > 0) return false;
        to_driver_.push_back({Event::What::evict, static_cast<Page>(below(pages_))});
        return true;
    }
  }

  bool send_any() {
    for (std::size_t i = 0; i < queue_pairs_.size(); ++i)
      if (send(i, false)) return true;
    return false;
  }

  /// A queue pair goes on with its message.
  bool send(std::size_t number, bool may_begin) {
    auto& self = queue_pairs_[number];
    if (self.waits_for || (!self.message && !may_begin)) return false;
    if (!self.message) {
      const auto all = static_cast<std::int64_t>(pages_) * ByteMemory::page_size;
      const auto size = static_cast<std::int64_t>(1 + below(static_cast<std::uint64_t>(all)));
      self.message = Message{
          ++messages_, static_cast<std::int64_t>(below(static_cast<std::uint64_t>(all - size + 1))), size, 0, 0, false};
    }
    auto& message = *self.message;
    if (message.sent == message.size) return false;
    const auto at = message.start + message.sent;
    const auto page = static_cast<Page>(at / ByteMemory::page_size);
    const auto offset = at % ByteMemory::page_size;
    const auto most = std::min(ByteMemory::page_size - offset, message.size - message.sent);
    const auto length = static_cast<std::int64_t>(1 + below(static_cast<std::uint64_t>(most)));
    const auto& translation = translations_.find(page);
    if (!translation) {
      self.waits_for = page;
      if (!reported_[page]) to_driver_.push_back({Event::What::fault, page});
      reported_[page] = true;
      return true;
    }
    translations_.begin(page);
    dma_.push_back({number, page, translation->place, offset, {message.number, message.sent, message.sent + length}});
    message.sent += length;
    return true;
  }

  /// One of the writes in flight arrives, in any order.
  bool land() {
    if (dma_.empty()) return false;
    const auto which = dma_.begin() + static_cast<std::ptrdiff_t>(below(dma_.size()));
    const auto landed = *which;
    dma_.erase(which);
    const int times = flaw_ == Flaw::repeats && below(16) == 0 ? 2 : 1;
    for (int i = 0; i < times; ++i) {
      contents_.write(landed.page, landed.place, landed.piece);
      bytes(landed.place).write(landed.page, landed.piece, landed.offset);
    }
    if (translations_.end(landed.page) && flaw_ != Flaw::no_drain) {
      ++drained_late_;
      to_driver_.push_back({Event::What::drained, landed.page});
    }
    auto& message = *queue_pairs_[landed.queue_pair].message;
    message.landed += landed.piece.end - landed.piece.begin;
    finish(landed.queue_pair);
    return true;
  }

  /// The sender hears of a whole message, and counts on what it asked for.
  void finish(std::size_t number) {
    auto& self = queue_pairs_[number];
    const auto& message = *self.message;
    const auto end = message.failed ? message.sent : message.size;
    if (message.landed < end) return;
    for (std::int64_t i = 0; i < end; ++i) {
      const auto page = static_cast<Page>((message.start + i) / ByteMemory::page_size);
      contents_.expect(page, {message.number, i, i + 1});
      wanted_.write(page, {message.number, i, i + 1}, (message.start + i) % ByteMemory::page_size);
    }
    ++completed_;
    self.message.reset();
  }

  /// The NIC takes in a command.
  bool hear() {
    if (to_nic_.empty()) return false;
    const auto command = to_nic_.front();
    to_nic_.pop_front();
    if (command.step == Step::invalidate) {
      const bool at_once = translations_.invalidate(command.page);
      if (at_once || flaw_ == Flaw::no_drain) to_driver_.push_back({Event::What::drained, command.page});
      return true;
    }
    if (command.step == Step::install) translations_.fill(command.page, command.translation);
    reported_[command.page] = false;
    for (std::size_t i = 0; i < queue_pairs_.size(); ++i) {
      auto& self = queue_pairs_[i];
      if (self.waits_for != command.page) continue;
      self.waits_for.reset();
      if (command.step == Step::install) continue;
      self.message->failed = true;
      self.message->size = self.message->sent;
      finish(i);
    }
    return true;
  }

  /// The driver: answers to what it does, else the next job.
  bool serve() {
    const auto wanted = [this](const Event& event) {
      return table_.busy() == (event.what == Event::What::drained || event.what == Event::What::copied);
    };
    const auto found = std::ranges::find_if(to_driver_, wanted);
    if (found == to_driver_.end()) return false;
    const auto event = *found;
    to_driver_.erase(found);
    switch (event.what) {
      case Event::What::fault:
        act(table_.fault(event.page, below(4) > 0));
        return true;
      case Event::What::touch:
        act(table_.touch(event.page));
        return true;
      case Event::What::evict:
        act(table_.evict(event.page));
        return true;
      default:
        act(table_.next());
        return true;
    }
  }

  void act(Action action) {
    while (action.step != Step::nothing) {
      if (action.step == Step::copy_to_host || action.step == Step::copy_to_vram) {
        job_ = action;
        return;
      }
      if (action.step != Step::map && action.step != Step::unmap) to_nic_.push_back(action);
      if (action.step == Step::invalidate) return;
      action = table_.next();
    }
  }

  /// The copy engine begins with what it was told, or ends.
  bool copy() {
    if (!job_) return false;
    const bool out = job_->step == Step::copy_to_host;
    const auto page = job_->page;
    if (!snapshot_) {
      if (out) resident_[page] = false;
      snapshot_ = contents_.read(page, out ? Place::vram : Place::host);
      copied_ = out ? vram_ : host_;
      return true;
    }
    if (flaw_ != Flaw::forgets_copy) {
      contents_.put(page, out ? Place::host : Place::vram, *snapshot_);
      (out ? host_ : vram_).copy(*copied_, page);
    }
    snapshot_.reset();
    job_.reset();
    to_driver_.push_back({Event::What::copied, page});
    if (out) return true;
    resident_[page] = true;
    if (touched_[page]) gpu_writes(page);
    return true;
  }

  /// A kernel stores eight bytes into a page that the GPU has, else it faults.
  void gpu_writes(Page page) {
    if (!resident_[page]) {
      if (!touched_[page]) to_driver_.push_back({Event::What::touch, page});
      touched_[page] = true;
      return;
    }
    touched_[page] = false;
    const Piece piece{++messages_ | std::uint64_t{1} << 32, 0, 8};
    contents_.write(page, Place::vram, piece);
    contents_.expect(page, piece);
    vram_.write(page, piece, 8);
    wanted_.write(page, piece, 8);
  }

  bool idle() const {
    return dma_.empty() && to_nic_.empty() && to_driver_.empty() && !job_ && !table_.busy() &&
           std::ranges::all_of(queue_pairs_, [](const QueuePair& q) { return !q.message.has_value(); });
  }

  Random random_;
  Flaw flaw_;
  std::size_t pages_;
  PageTable table_;
  Contents contents_;
  Translations translations_;
  ByteMemory vram_, host_, wanted_;
  std::vector<bool> reported_, resident_, touched_;
  std::vector<QueuePair> queue_pairs_;
  std::vector<Dma> dma_;
  std::deque<Action> to_nic_;
  std::vector<Event> to_driver_;
  std::optional<Action> job_;
  std::optional<Content> snapshot_;
  std::optional<ByteMemory> copied_;
  std::uint64_t messages_ = 0;
  int completed_ = 0, drained_late_ = 0;
};

}  // namespace peerpath::private_pages
