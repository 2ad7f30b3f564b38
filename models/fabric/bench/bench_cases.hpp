// The loads that the fabric's speed is stated for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {

/// Packets of 4 KiB on Gen4 x16 NICs, a switch, and Gen5 x16 GPUs; DLLPs counted.
struct BenchCase {
  std::string_view name;
  int nics = 1, gpus = 1;  ///< NIC i sends to GPU i mod gpus
  int rate_percent = 100;  ///< of 200 Gb/s a NIC
  bool jittered = false;
  bool tight = false;       ///< 8 header and 128 data credits towards the switch, 6 and 96 towards the GPU
  Bytes read_request{};     ///< 0: writes; else the NIC reads from the GPU with this MRRS
  bool writes_too = false;  ///< every other packet is a write
  /// ACS of the switch sends each request up to the root complex, whose IOMMU translates it (hits) and sends it down
  /// again.
  bool redirected = false;
  /// All links have two virtual channels; each packet goes by VC 0, a doorbell behind it by VC 1.
  bool channels = false;
  int turns = 1;  ///< of NIC 0 at each GPU, in weighted arbitration
};

std::span<const BenchCase> bench_cases();
const BenchCase* find_bench_case(std::string_view name);

/// Plays `packets` packets of each NIC, with `advance` in steps of `step`.
class BenchRun {
 public:
  BenchRun(const BenchCase& load, Mode mode, Duration step = std::chrono::microseconds{1});
  ~BenchRun();

  /// TLPs that were delivered, each counted once however many links it crossed.
  std::int64_t play(std::int64_t packets);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace peerpath::fabric
