// What comes to a memory and is not written there.
#pragma once

#include "peerpath/fabric/fabric.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::host {

/// A gate before a memory that counts the data of writes which the memory will refuse, as a link counts data: in whole
/// double words. All else is up to the gate that stood there, `next`, if any. Doorbells and interrupts are no data.
class RefusedWrites final : public fabric::Gate {
 public:
  explicit RefusedWrites(fabric::Gate* next) : next_{next} {}

  Instant pass(const fabric::GatedTlp& tlp) override;
  fabric::GatedRun pass_run(const fabric::GatedTlp& tlp, Duration spacing, std::int32_t count) override;

  /// Since the start.
  Bytes bytes() const { return bytes_; }

 private:
  void note(const fabric::GatedTlp& tlp, std::int32_t count);

  fabric::Gate* next_;
  Bytes bytes_{};
};

}  // namespace peerpath::host
