// Bytes behind a node's addresses, kept only for foreign initiators: peerpath's own devices move no contents.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <unordered_map>

namespace peerpath::sc {

/// Sparse memory in pieces of 2 MiB, of which the operating system gives what is touched. What was never written reads
/// as 0. A piece stays where it is.
class MemoryImage {
 public:
  static constexpr std::uint64_t piece_size = 2 << 20;

  void write(std::uint64_t address, const unsigned char* data, std::size_t size) {
    for_pieces(address, size, [&](std::uint64_t at, std::size_t from, std::size_t n) {
      std::copy_n(data + from, n, piece(at) + at % piece_size);
    });
  }

  void read(std::uint64_t address, unsigned char* data, std::size_t size) const {
    for_pieces(address, size, [&](std::uint64_t at, std::size_t from, std::size_t n) {
      const auto found = pieces_.find(at / piece_size);
      if (found == pieces_.end())
        std::fill_n(data + from, n, static_cast<unsigned char>(0));
      else
        std::copy_n(found->second.get() + at % piece_size, n, data + from);
    });
  }

  /// The first byte of the piece that holds the address.
  unsigned char* piece(std::uint64_t address) {
    auto& piece = pieces_[address / piece_size];
    if (!piece) piece.reset(static_cast<unsigned char*>(std::calloc(piece_size, 1)));
    if (!piece) throw std::bad_alloc{};
    return piece.get();
  }

 private:
  struct Free {
    void operator()(unsigned char* piece) const { std::free(piece); }
  };

  template <class F>
  static void for_pieces(std::uint64_t address, std::size_t size, F&& each) {
    for (std::size_t from = 0; from < size;) {
      const auto at = address + from;
      const auto n = std::min(size - from, static_cast<std::size_t>(piece_size - at % piece_size));
      each(at, from, n);
      from += n;
    }
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<unsigned char, Free>> pieces_;
};

}  // namespace peerpath::sc
