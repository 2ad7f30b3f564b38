// What a proxy thread does when a block calls.
#pragma once

#include <optional>

#include "validation/gpunet/proxy/listeners.hpp"
#include "validation/gpunet/proxy/options.hpp"
#include "validation/gpunet/proxy/table.hpp"

namespace peerpath::gpunet {

class Calls {
 public:
  Calls(Table& table, Listeners& listeners, const ProxyOptions& options)
      : table_{table}, listeners_{listeners}, options_{options} {}

  /// Fills in the answer; nullopt while the call has to wait, which is asked again.
  std::optional<int> handle(Call& call);

 private:
  std::optional<int> open(Call& call);
  std::optional<int> accept(Call& call);
  std::optional<int> connect(Socket& socket, Call& call);
  std::optional<int> not_connected(Socket& socket, Call& call);
  int shutdown(Socket& socket, const Call& call);
  int listen(Socket& socket, const Call& call);
  int close(Socket& socket, const Call& call);
  int opened(std::shared_ptr<Channel> channel, Family family, bool connected, Call& call);

  Table& table_;
  Listeners& listeners_;
  const ProxyOptions& options_;
};

}  // namespace peerpath::gpunet
