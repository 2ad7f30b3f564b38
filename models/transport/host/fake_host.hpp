// A host for tests of NICs.
#pragma once

#include <algorithm>

#include "peerpath/base/fail.hpp"
#include "transport/host/host_dma.hpp"

namespace peerpath::transport::testing {

using namespace std::chrono_literals;

/// A host that takes and gives at a rate each, and computes nothing ahead of what it is told to.
class FakeHost final : public HostDma {
 public:
  FakeHost(BitRate in, BitRate out) : in_{in}, out_{out} {}
  Duration latency() const override { return 300ns; }
  Bytes transmit_buffer() const override { return Bytes{64 << 10}; }
  void write(Bytes size, Instant now) override { ask(writes_, written_at_, size, in_, now); }
  void read(Bytes size, Instant now) override { ask(reads_, read_at_, size, out_, now); }
  void advance(Instant until) override {
    computed_ = until;
    for (; !writes_.empty() && writes_.front() < until; writes_.pop()) written.push(writes_.front());
    for (; !reads_.empty() && reads_.front() < until; reads_.pop()) fetched.push(reads_.front());
  }

 private:
  void ask(Ring<Instant>& into, Instant& free, Bytes size, BitRate rate, Instant now) {
    require(now + latency() >= computed_, "a NIC requested an operation that begins in the past");
    free = std::max(free, now + latency()) + size / rate;
    into.push(free);
  }
  BitRate in_, out_;
  Ring<Instant> writes_, reads_;
  Instant written_at_{}, read_at_{}, computed_{};
};

}  // namespace peerpath::transport::testing
