// What stands in the pages of a registered buffer, without a byte of it: transactions carry none. So it can be proved
// that no byte is lost, and none written twice, while pages move between GPU and host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "peerpath/base/random.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::private_pages {

using Page = std::uint32_t;  ///< of a registered buffer, from 0

/// Where a copy of a page can be.
enum class Place : std::uint8_t { vram, host };

/// Bytes [begin, end) of a message.
struct Piece {
  std::uint64_t message = 0;  ///< a number that no other message has
  std::int64_t begin = 0, end = 0;
};

/// All that was written to a page. Each byte adds its message's weight times an odd number of its own, modulo 2^64: the
/// sum is the same however messages are cut and in whichever order pieces come, and another one when a piece is
/// missing, there twice or in another page (but for one chance in 2^64 or so).
struct Content {
  Bytes bytes{};
  std::uint64_t digest = 0;

  void add(const Piece& piece) {
    const auto begin = static_cast<std::uint64_t>(piece.begin), end = static_cast<std::uint64_t>(piece.end);
    bytes += Bytes{piece.end - piece.begin};
    digest += mix(piece.message) * (end * end - begin * begin);  // the sum of 2 i + 1 over its bytes i
  }
  void add(const Content& more) {
    bytes += more.bytes;
    digest += more.digest;
  }
  bool operator==(const Content&) const = default;
};

/// How far contents are from what they should be.
struct Verdict {
  Bytes lost{}, repeated{};
  std::int64_t wrong_pages = 0;  ///< pages with another content than expected, be it of the right size
  bool operator==(const Verdict&) const = default;
};

/// The copies of each page in both memories, and what should stand in it.
class Contents {
 public:
  explicit Contents(std::size_t pages) : pages_(pages) {}

  std::size_t pages() const { return pages_.size(); }
  /// A write has arrived in one of the memories.
  void write(Page page, Place place, const Piece& piece) { pages_[page].at(place).add(piece); }
  /// What a copy engine reads now.
  const Content& read(Page page, Place place) const { return pages_[page].at(place); }
  /// What it read has arrived in the other memory.
  void put(Page page, Place place, const Content& content) { pages_[page].at(place) = content; }
  /// Somebody counts on this to be in the page.
  void expect(Page page, const Piece& piece) { pages_[page].expected.add(piece); }
  void expect(Page page, const Content& content) { pages_[page].expected.add(content); }

  /// Holds the page that is in `place` against what is expected, and against `open`: writes that arrived and that
  /// nobody counts on yet, as their message is under way.
  void judge(Page page, Place place, const Content& open, Verdict& verdict) const;

 private:
  struct Copies {
    Content vram, host, expected;
    Content& at(Place place) { return place == Place::vram ? vram : host; }
    const Content& at(Place place) const { return place == Place::vram ? vram : host; }
  };
  std::vector<Copies> pages_;
};

}  // namespace peerpath::private_pages
