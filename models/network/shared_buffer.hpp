// The buffer of one switch: who may use how much of it, and when an ingress port is paused.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet.hpp"
#include "network/switch_config.hpp"

namespace peerpath::network {

/// Accounts by ingress port and priority: first the reserve, then the shared part up to a dynamic threshold, then (of
/// lossless priorities) the headroom. As in broadcom-style memory management units and in HPCC's simulation of one.
class SharedBuffer {
 public:
  enum class Admission : std::uint8_t { taken, no_headroom, over_threshold, full };

  /// `headroom`: by ingress port, for each lossless priority.
  SharedBuffer(const SwitchConfig& config, const std::vector<std::int64_t>& headroom);

  /// Takes a packet in, if there is room. `queued`: bytes in the egress queue that it goes to.
  Admission admit(std::uint32_t ingress, int priority, std::int64_t bytes, std::int64_t queued);
  /// The packet leaves the buffer.
  void release(std::uint32_t ingress, int priority, std::int64_t bytes);

  /// Whether the sender behind this ingress port has to stop, or may go on again.
  bool should_pause(std::uint32_t ingress, int priority) const;
  bool should_resume(std::uint32_t ingress, int priority) const;

  std::int64_t used() const { return used_; }
  std::int64_t peak() const { return peak_; }
  std::int64_t threshold() const { return scaled(shared_size_ - shared_used_, alpha_log2_); }

 private:
  struct Account {
    std::int64_t stored = 0;    ///< in reserve and shared part
    std::int64_t headroom = 0;  ///< in the headroom
  };

  static std::int64_t scaled(std::int64_t bytes, int log2) { return log2 >= 0 ? bytes << log2 : bytes >> -log2; }
  std::int64_t beyond_reserve(const Account& account) const {
    return account.stored > reserve_ ? account.stored - reserve_ : 0;
  }
  Account& account(std::uint32_t ingress, int priority) { return accounts_[ingress * priorities + priority]; }
  const Account& account(std::uint32_t ingress, int priority) const {
    return accounts_[ingress * priorities + priority];
  }

  std::vector<Account> accounts_;
  std::vector<std::int64_t> headroom_;
  std::int64_t reserve_ = 0, resume_offset_ = 0, shared_size_ = 0, shared_used_ = 0, used_ = 0, peak_ = 0;
  int alpha_log2_ = 0, lossy_alpha_log2_ = 0;
  std::uint8_t lossless_ = 0;
};

}  // namespace peerpath::network
