// What carries the bytes of one socket beyond the proxy. Nothing here waits; what would is -EAGAIN.
#pragma once

#include <sys/uio.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "peerpath/validation/gpunet/address.hpp"

namespace peerpath::gpunet {

/// Results are 0 or bytes, or an errno, negative.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual int bind(const Address& address) = 0;
  virtual int listen(int backlog) = 0;
  /// The next connection into `connection`.
  virtual int accept(std::unique_ptr<Channel>& connection, Address& peer) = 0;
  /// -EINPROGRESS until `finish_connect` says otherwise.
  virtual int connect(const Address& address) = 0;
  virtual int finish_connect() = 0;
  virtual std::int64_t send(std::span<const iovec> pieces) = 0;
  virtual std::int64_t receive(std::span<const iovec> pieces) = 0;
  virtual int shutdown(int how) = 0;
  /// The end of this connection shall be a reset where the channel has one.
  virtual void reset_at_close() = 0;
  /// Why a send would fail because the peer is gone altogether, and what a receive after the end of the stream would
  /// get once; 0 and 0 while it is not.
  struct Gone {
    int send = 0, receive = 0;
  };
  virtual Gone hung_up() = 0;
  /// Asked before a channel of a closed socket goes: whether what was sent no longer needs it. It then ends the stream,
  /// if nothing did.
  virtual bool settled() { return true; }
  /// The slice of GPU memory that its NIC takes payload from and puts it into; -1: none. Settled once connected.
  virtual int slice() const { return -1; }
  /// With a slice in place of `receive`: the next message, whose slot is the GPU's until it is given back. Bytes, 0 at
  /// the end, or a negative errno.
  virtual std::int64_t receive_direct(std::uint32_t&) { return -EOPNOTSUPP; }
  virtual void give_back(std::uint32_t) {}
  /// A descriptor that polls readable when there is something to receive; -1: has to be asked.
  virtual int descriptor() const = 0;
};

/// Makes channels of families beyond the kernel's sockets; null, with errno set, where it cannot.
using MakeChannel = std::function<std::unique_ptr<Channel>(Family family)>;

/// A channel of the family; null, with errno set, where there is none.
std::unique_ptr<Channel> open_channel(Family family, std::uint64_t buffer_bytes, const MakeChannel& others);

}  // namespace peerpath::gpunet
