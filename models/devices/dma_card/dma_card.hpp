// A card that does DMA and nothing else: a benchmark card, or a load generator. The model card is README.md beside
// this.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/host/booked_time.hpp"
#include "devices/dma_card/config.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::dma_card {

/// What one step of a stream does.
enum class Step : std::uint8_t {
  write,
  read,
  write_then_read,  ///< the read follows when the write of the same place is done
};

/// Which part of the card does it.
enum class Interface : std::uint8_t {
  dma,      ///< the DMA engine
  command,  ///< direct commands: no engine, no copy to card memory, and a dependent read follows at once
};

/// Transfers that the card makes, one after the other.
struct Stream {
  std::vector<Step> steps{Step::write};  ///< taken in turn
  Interface interface = Interface::dma;
  fabric::NodeId target{};
  std::uint64_t address = 0;  ///< start of the window; its places are a transfer apart, in whole cache lines
  Bytes window{64 << 20};
  std::vector<Bytes> sizes{Bytes{256}};  ///< taken in turn
  bool random = false;                   ///< places in random order, else in turn
  BitRate rate{};                        ///< of payload offered; 0: as fast as it goes
  std::int64_t count = 0;                ///< transfers; 0: without end
  std::int64_t warm_up = 0;              ///< transfers that the counters leave out
};

/// What the transfers of all streams came to, without their warm-up.
struct Counters {
  std::int64_t transfers = 0;
  Bytes bytes{};
  Instant begin{};     ///< end of the last transfer of the warm-up, or 0
  Instant end{};       ///< end of the last transfer
  Duration latency{};  ///< sum over transfers: started by the card -> done
};

/// How the fabric is to simulate the card: channel 1 for writes and what depends on them, 2 for reads. `link_rate` is
/// that of the link towards it, at which it takes in completion data.
fabric::Endpoint fabric_endpoint(const device::DmaCardConfig& config, BitRate link_rate);
inline constexpr fabric::ChannelIndex write_channel{1}, read_channel{2};

/// Which stream, in the order in which the card was given them, a transaction with this cookie is of.
constexpr std::size_t stream_of(std::uint64_t cookie) { return static_cast<std::size_t>(cookie >> 32); }

/// What bounds the DMA reads that the engine has taken up, in whole lines. Reads of more than a line and at most one
/// MPS come in batches, of which the next one begins when at most `left` of the last one is still out.
struct ReadLimits {
  Bytes buffer;          ///< room for what comes back; 0: no limit at all
  Bytes batched_buffer;  ///< the part of it that reads in batches use
  Bytes batch;
  Bytes left;
};

/// The active part of the card. Up to `outstanding` transfers are in flight; a write is so until it has arrived.
class DmaCard final : public device::Endpoint {
 public:
  DmaCard(const device::DmaCardConfig& config, fabric::NodeId self, std::vector<Stream> streams,
          std::uint64_t seed = 1);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId, Instant, device::Outbox&) override {}

  /// Without, as at first, what is outstanding is the only limit.
  void set_read_limits(const ReadLimits& limits) { limits_ = limits; }

  const Counters& counters() const { return counters_; }

  /// How long transfers were in flight, summed over those that ended, and how long the two halves of the engine worked.
  struct Busy {
    Duration held{}, writing{}, reading{};
  };
  /// The engine has work booked beyond `now`: that is not in it.
  Busy busy_until(Instant now) const { return {held_, writing_.until(now), reading_.until(now)}; }
  /// Every stream with an end has come to it.
  bool idle() const { return in_flight_ == 0; }

 private:
  struct Progress {
    Stream stream;
    Random random;
    std::int64_t next = 0;  ///< transfers started
    std::int64_t done = 0;
    Bytes offered{};  ///< by transfers started
    Bytes place{};    ///< where in the window the next one goes, if in turn
  };
  struct Slot {
    std::size_t stream = 0;
    Step step{};
    bool reading = false;  ///< the second half of write_then_read
    std::uint64_t address = 0;
    Bytes size{};
    Instant started{};
    Instant read_from{};  ///< a read: the engine does not take it up before this
  };

  bool start_next(Instant now, device::Outbox& out);
  void start_transfer(Progress& progress, std::size_t slot, Instant offered, device::Outbox& out);
  void submit(std::size_t slot, pcie::Operation op, Instant ready, device::Outbox& out);
  Instant issue_write(const Slot& slot, Instant at);
  Instant issue_read(const Slot& slot, Instant at);
  void read(std::size_t slot, Instant at, device::Outbox& out);
  void take_up_reads(Instant at, device::Outbox& out);
  /// Whether the limits let one more read of this size be taken up; it may begin a batch.
  bool has_room(Bytes size);
  void finish(std::size_t slot, Instant at, Instant done);
  std::uint64_t next_address(Progress& progress, Bytes size);

  device::DmaCardConfig config_;
  fabric::NodeId self_;
  std::vector<Progress> streams_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
  std::size_t in_flight_ = 0, turn_ = 0;
  std::deque<std::size_t> waiting_;  ///< reads that the engine has not taken up, first come first
  ReadLimits limits_;
  Bytes buffered_{}, batch_{};  ///< lines of the reads that are taken up, and of the batch so far
  Instant write_free_{}, read_free_{}, resume_{};
  Duration overlap_{};  ///< of the writes that the engine has before it, as far as no read has undone it
  Counters counters_;
  Duration held_{};
  host::BookedTime writing_, reading_;
};

}  // namespace peerpath::dma_card
