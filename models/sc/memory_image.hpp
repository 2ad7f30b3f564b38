// Bytes behind a node's addresses, kept only for foreign initiators: peerpath's own devices move no contents.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace peerpath::sc {

/// Sparse memory in pages of 4 KiB; what was never written reads as 0.
class MemoryImage {
 public:
  void write(std::uint64_t address, const unsigned char* data, std::size_t size) {
    for_pieces(address, size, [&](std::uint64_t page, std::size_t at, std::size_t from, std::size_t n) {
      std::copy_n(data + from, n, pages_[page].begin() + static_cast<std::ptrdiff_t>(at));
    });
  }

  void read(std::uint64_t address, unsigned char* data, std::size_t size) const {
    for_pieces(address, size, [&](std::uint64_t page, std::size_t at, std::size_t from, std::size_t n) {
      const auto found = pages_.find(page);
      if (found == pages_.end())
        std::fill_n(data + from, n, static_cast<unsigned char>(0));
      else
        std::copy_n(found->second.begin() + static_cast<std::ptrdiff_t>(at), n, data + from);
    });
  }

 private:
  static constexpr std::size_t page_size = 4096;

  template <class F>
  static void for_pieces(std::uint64_t address, std::size_t size, F&& piece) {
    for (std::size_t from = 0; from < size;) {
      const auto at = static_cast<std::size_t>((address + from) % page_size);
      const auto n = std::min(size - from, page_size - at);
      piece((address + from) / page_size, at, from, n);
      from += n;
    }
  }

  std::unordered_map<std::uint64_t, std::array<unsigned char, page_size>> pages_;
};

}  // namespace peerpath::sc
