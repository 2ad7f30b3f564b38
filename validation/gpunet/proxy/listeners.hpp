// Listening sockets by descriptor: a block's proxy thread accepts on a socket that another thread may own.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "validation/gpunet/proxy/channel.hpp"

namespace peerpath::gpunet {

class Listeners {
 public:
  struct Listener {
    std::shared_ptr<Channel> channel;  ///< null: none
    Family family = Family::none;
  };
  void add(int descriptor, Listener listener) {
    const std::lock_guard lock{mutex_};
    all_[descriptor] = std::move(listener);
  }
  void remove(int descriptor) {
    const std::lock_guard lock{mutex_};
    all_.erase(descriptor);
  }
  Listener at(int descriptor) {
    const std::lock_guard lock{mutex_};
    const auto found = all_.find(descriptor);
    return found == all_.end() ? Listener{} : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<int, Listener> all_;
};

}  // namespace peerpath::gpunet
