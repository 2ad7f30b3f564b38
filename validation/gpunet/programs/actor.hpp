// Who performs the steps of a program: a block through gpunet, or this process through plain POSIX sockets.
#pragma once

#include <map>
#include <vector>

#include "validation/gpunet/programs/desk.hpp"

namespace peerpath::gpunet::programs {

class Actor {
 public:
  virtual ~Actor() = default;
  /// Result as of the call, with errno negative. `bytes` are sent, or take what is received.
  virtual std::int64_t perform(const Step& step, std::vector<unsigned char>& bytes) = 0;
};

/// Dictates to a block that runs `take_dictation`.
class BlockActor final : public Actor {
 public:
  explicit BlockActor(Desk& desk) : desk_{desk} {}
  /// -ETIME if the block has not answered within ten seconds: it hangs.
  std::int64_t perform(const Step& step, std::vector<unsigned char>& bytes) override;
  void end();

 private:
  Desk& desk_;
  std::uint64_t number_ = 0;
};

/// The oracle, and the peer. Never waits for data; sockets are closed with it.
class PosixActor final : public Actor {
 public:
  ~PosixActor() override;
  std::int64_t perform(const Step& step, std::vector<unsigned char>& bytes) override;
  /// The next close resets the connection (TCP).
  std::int64_t reset(std::uint32_t socket);

 private:
  std::int64_t open(std::uint32_t index, std::int64_t descriptor);
  std::map<std::uint32_t, int> sockets_;
};

}  // namespace peerpath::gpunet::programs
