// Reliable connections of RDMA as channels. A TCP connection at the same address and port tells each end of the other,
// and when one is gone; the bytes travel over verbs, from and into GPU memory or through bounce buffers.
#pragma once

#include <mutex>
#include <vector>

#include "validation/gpunet/proxy/socket_channel.hpp"
#include "validation/gpunet/verbs/messages.hpp"

namespace peerpath::gpunet {

class VerbsChannel final : public Channel {
 public:
  /// `device` by name; empty: the first one. Takes over a TCP socket, of which a connected one can be `accepted`.
  VerbsChannel(std::unique_ptr<SocketChannel> setup, std::string device, std::shared_ptr<DirectMemory> direct,
               bool accepted = false);

  int bind(const Address& address) override { return setup_->bind(address); }
  int listen(int backlog) override { return setup_->listen(backlog); }
  int accept(std::unique_ptr<Channel>& connection, Address& peer) override;
  int connect(const Address& address) override;
  int finish_connect() override;
  std::int64_t send(std::span<const iovec> pieces) override;
  std::int64_t receive(std::span<const iovec> pieces) override;
  int slice() const override { return messages_ ? messages_->slice() : -1; }
  std::int64_t receive_direct(std::uint32_t& slot) override;
  void give_back(std::uint32_t slot) override { messages_->give_back(slot); }
  int shutdown(int how) override;
  void reset_at_close() override { reset_ = true; }
  Gone hung_up() override { return {}; }
  bool settled() override;
  int descriptor() const override { return -1; }

 private:
  /// What has been done to get connected.
  enum class Step : std::uint8_t { none, calling, greeting, agreeing, connected };

  /// Goes on with it. 0 once connected; -EINPROGRESS; or why not.
  int advance();
  int greet();
  int agree();
  /// -ECONNRESET in place of `nothing` if TCP says that the other end is gone, and asked `again` nothing came.
  std::int64_t or_gone(std::int64_t nothing, const std::function<std::int64_t()>& again);
  /// The next bytes of the other end's greeting; 0 when it is whole.
  int hear(void* into, std::size_t bytes);

  std::unique_ptr<SocketChannel> setup_;
  std::string device_;
  std::shared_ptr<DirectMemory> direct_;
  Step step_;
  std::unique_ptr<Messages> messages_;
  verbs::Endpoint there_;
  std::size_t heard_ = 0;
  bool reset_ = false;
  unsigned looks_ = 0;

  std::mutex mutex_;  ///< blocks of several proxy threads accept
  struct Caller {
    std::unique_ptr<VerbsChannel> channel;
    Address address;
  };
  std::vector<Caller> callers_;
};

/// Channels over verbs for ProxyOptions::others; with that node's `direct` into its GPU memory, where the NIC can.
MakeChannel verbs_channels(const std::string& device, const std::shared_ptr<DirectMemory>& direct = {});

}  // namespace peerpath::gpunet
