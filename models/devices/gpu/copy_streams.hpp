// Copies that a GPU makes one after the other: by its engines or by kernels, to and from host memory, staged, to peers.
#pragma once

#include <functional>
#include <vector>

#include "devices/gpu/config.hpp"
#include "devices/nic/rings.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::gpu {

/// One stream of copies; each begins when the one before it is over, and when it is offered.
struct CopyWork {
  enum class Way {
    to_gpu,    ///< reads of host memory
    from_gpu,  ///< writes to host memory
    to_peer    ///< besides PCIe, at CopiesConfig::peer_rate
  };
  /// Which part of a staged copy it is.
  enum class Stage { none, first, second };

  Way way = Way::to_gpu;
  Stage stage = Stage::none;
  bool by_kernel = false;
  bool single = false;       ///< submitted when the one before is seen to be over
  nic::MemoryPlace host{};   ///< unless to_peer
  std::vector<Bytes> sizes;  ///< taken in turn
  Bytes chunk{};             ///< of a staged copy
  BitRate rate{};            ///< offered; 0: as fast as it goes
  int port = 0;              ///< of a staged copy: where the two GPUs tell each other of what is done
  /// Is told of each copy that is over; of a staged one its second part is.
  std::function<void(Instant begin, Instant end, Bytes size)> done{};
};

/// All such streams of one GPU. Stream n has channel n + 1. Attach it with `hears_arrivals` and `only_asks`. The two
/// GPUs of a staged copy are joined by a wire, by which the first one tells the second of each chunk that is in host
/// memory, and the second one the first of each copy that is over; it stands for the events of their drivers.
class CopyStreams final : public device::Endpoint {
 public:
  explicit CopyStreams(const device::GpuConfig& config);

  /// Before the start; returns the number of the stream.
  std::size_t add(CopyWork work);
  std::size_t size() const { return streams_.size(); }
  /// They stand behind a RequestQueue. Before the start.
  void queue() { queued_ = true; }

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) override;

 private:
  struct Stream {
    CopyWork work;
    std::size_t number = 0;           ///< of the copy
    Instant offered{};                ///< when the next one is
    Instant begin{};                  ///< of the copy
    Bytes left{};                     ///< of it, beyond this piece
    Bytes size{}, issued{}, moved{};  ///< of the piece: a chunk, or the whole copy
    int in_flight = 0;
    Instant next_write{};
    Instant ready{};    ///< for the next chunk, of the second stage
    int landed = 0;     ///< chunks in host memory that the second stage has not begun with
    bool busy = false;  ///< from a piece's setup to its end
  };

  void begin_copy(std::size_t stream, Instant now, device::Outbox& out);
  void begin_piece(std::size_t stream, Instant now, device::Outbox& out);
  void fill(std::size_t stream, Instant now, device::Outbox& out);
  void end_piece(std::size_t stream, Instant now, device::Outbox& out);
  Duration hand_over(const Stream& stream) const;
  Duration setup(const Stream& stream) const;

  device::CopiesConfig copies_;
  device::KernelsConfig kernels_;
  bool queued_ = false;
  std::vector<Stream> streams_;
};

}  // namespace peerpath::gpu
