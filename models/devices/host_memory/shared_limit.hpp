// What all devices together reach in host memory, by how many of them are at work. Model card: README.md.
#pragma once

#include <vector>

#include "devices/host_memory/config.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::host_memory {

/// Two servers, one for what is read and one for what is written, whose rates are set anew every two microseconds: by
/// the number of devices that read, or wrote, in the two before, and by how much of the other was done. What no cache
/// holds is read at a rate of its own by a device that writes as well. Near the limit of several that read, each read
/// waits besides: others use the memory too, so that a queue forms before it is full.
class SharedLimit {
 public:
  explicit SharedLimit(const device::SharedConfig& config);

  /// From when a request goes on that comes at `at`.
  Instant read(fabric::NodeId requester, std::uint64_t address, Bytes bytes, Instant at);
  Instant write(fabric::NodeId requester, std::uint64_t address, Bytes bytes, Instant at);
  /// A buffer in the memory; what belongs to none counts as cached. Before the start, from low addresses to high ones.
  void add_buffer(std::uint64_t address, Bytes size);

 private:
  struct AtWork {
    fabric::NodeId node;
    Bytes moved;
  };
  struct Way {
    std::vector<BitRate> rates;  ///< by the number of devices at work
    BitRate rate{};              ///< now; 0: no limit
    Instant free{};
    std::vector<AtWork> at_work{};  ///< in this slice of time
    Bytes moved{};                  ///< likewise
  };
  struct Buffer {
    std::uint64_t address;
    Bytes size;
    std::vector<Bytes> written{};  ///< all_written_ when each part was written last, and that; 0: never
  };
  /// Of a read, what no cache holds since it was written.
  Bytes older_than_recent(std::uint64_t address, Bytes bytes) const;
  Instant take(Way& way, fabric::NodeId requester, Bytes bytes, Instant at);
  /// From when a read of what no cache holds goes on: that of a device which writes as well.
  Instant take_uncached(fabric::NodeId requester, Bytes bytes, Instant at);
  void set_uncached(BitRate most);
  bool is_cached(std::uint64_t address) const;
  void begin_slice(Instant at);
  /// For so many slices that are over.
  void set_wait(std::int64_t slices);

  Way reads_, writes_;
  std::vector<BitRate> both_rates_, opposite_rates_, beside_writes_;
  Bytes cached_, cached_together_;
  BitRate read_limit_;
  double sharpness_;
  Duration round_trip_;
  double use_ = 0;   ///< of read_limit, over the last slices
  Duration wait_{};  ///< of each read, now
  Bytes recent_, all_written_{};
  std::vector<Buffer> buffers_;
  struct Uncached {
    fabric::NodeId node;
    BitRate rate;
  };
  std::vector<Uncached> uncached_{};  ///< rates of devices that read and write, now
  Instant uncached_free_{};
  Instant slice_end_;
};

}  // namespace peerpath::host_memory
