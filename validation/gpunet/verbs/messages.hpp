// A stream of bytes each way over one reliable connection: by messages from and into GPU memory where the NIC's driver
// registers its dma-buf, else from and into bounce buffers in host memory.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "validation/backends/verbs/queue_pair.hpp"
#include "validation/gpunet/proxy/direct.hpp"

namespace peerpath::gpunet {

/// Each end has as many slots for what comes as the other one may have under way: a credit a slot, which comes back in
/// the word beside a message, or in a message without bytes once half of them are free. Nothing here waits.
class Messages {
 public:
  /// `direct` null: bounce buffers.
  static verbs::Result<std::unique_ptr<Messages>> open(const std::string& device,
                                                       const std::shared_ptr<DirectMemory>& direct);
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  const verbs::Endpoint& here() const { return pair_.here(); }
  /// After that both ends have to know that the other one is connected, too, before either sends.
  verbs::Result<void> connect(const verbs::Endpoint& there);

  /// Bytes taken over, or a negative errno; EAGAIN while there is no credit. Pieces in GPU memory are so only once the
  /// NIC needs them no longer: until then the next call begins with them again.
  std::int64_t send(std::span<const iovec> pieces);
  /// Bytes that came, 0 after the other end's last, or a negative errno.
  std::int64_t receive(std::span<const iovec> pieces);
  /// See Channel.
  int slice() const { return slice_; }
  std::int64_t receive_direct(std::uint32_t& slot);
  void give_back(std::uint64_t slot);
  /// No bytes will follow.
  void end();
  bool has_ended() const { return ended_; }
  /// Whether the other end has all that was sent, or will never have it.
  bool settled();

 private:
  enum class Kind : std::uint32_t { bytes = 1, credit = 2, end = 3 };
  struct Came {
    std::uint64_t slot = 0;
    std::uint32_t bytes = 0, taken = 0;
  };
  static constexpr std::uint32_t slots = 24, slot_bytes = 32768;
  static constexpr std::uint32_t spare = 8;  ///< receives for messages without bytes: at most 4 are under way
  static constexpr std::uint64_t no_slot = slots, first_direct = slots + 1;  ///< identifiers of what is sent
  static_assert(slots + spare <= direct_slots && slot_bytes == direct_slot_bytes);
  using Memory = std::unique_ptr<unsigned char[], void (*)(unsigned char*)>;
  struct Sent {
    std::uint64_t bytes = 0;
    bool over = false;  ///< its memory is free
  };

  Messages(Memory memory, verbs::QueuePair pair, std::shared_ptr<DirectMemory> direct, int slice);
  /// The next message of what begins at `piece` and `at`, which go on; false if there is none.
  bool send_one(std::span<const iovec> pieces, std::size_t& piece, std::size_t& at);
  bool send_direct(const iovec& piece, std::size_t& at);
  unsigned char* outbound(std::uint64_t slot) { return memory_.get() + slot * slot_bytes; }
  unsigned char* inbound(std::uint64_t slot) { return memory_.get() + (slots + slot) * slot_bytes; }
  bool expect(std::uint64_t slot);
  void post(Kind kind, std::uint64_t id, verbs::QueuePair::Piece piece);
  void poll();
  void came(const verbs::Completion& completion);
  void has_gone(std::uint64_t id);

  Memory memory_;
  verbs::QueuePair pair_;
  std::shared_ptr<DirectMemory> direct_;
  int slice_;
  std::deque<Sent> sent_;            ///< that `send` has not returned
  std::uint64_t sent_before_ = 0;    ///< messages before the first of them
  std::vector<std::uint64_t> free_;  ///< outbound slots
  std::deque<Came> came_;
  std::uint32_t credits_ = slots, owed_ = 0, under_way_ = 0;
  bool ended_ = false, end_came_ = false, broken_ = false;
};

}  // namespace peerpath::gpunet
