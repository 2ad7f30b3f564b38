// Writes of an emulated block that are under way, as PCIe and a GPU's caches may hold them back: they land in any order
// until a release, which lands after all of them. For tests of the protocol; a CPU's own order would hide mistakes.
#pragma once

#include <cstdint>
#include <mutex>
#include <random>
#include <vector>

namespace peerpath::gpunet::emulation {

class PostedWrites {
 public:
  explicit PostedWrites(std::uint64_t seed) : random_{seed} {}

  void word(std::uint64_t* to, std::uint64_t value);
  void bytes(unsigned char* to, const unsigned char* from, std::size_t count);
  /// Some of them land.
  void some();
  void all();

 private:
  struct Write {
    std::uint64_t* word = nullptr;
    std::uint64_t value = 0;
    unsigned char* to = nullptr;
    std::vector<unsigned char> bytes;
  };
  void land(std::size_t most);

  std::mutex mutex_;
  std::minstd_rand random_;
  std::vector<Write> writes_;
};

}  // namespace peerpath::gpunet::emulation
