// Work in child processes, several at a time: one that crashes takes nothing of the others with it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace peerpath::cli {

/// What a child left.
struct ChildEnd {
  std::string output;  ///< what its work returned; of one that crashed possibly less
  std::string crash;   ///< "" if it ended well; else how it ended, and what it said on standard error
};

struct ChildPool {
  int jobs = 1;  ///< children at a time, at least 1
  /// In a child: the text for piece `index` of the work. What it throws counts as a crash.
  std::function<std::string(std::size_t index)> work;
  /// Here, as each child ends, in any order.
  std::function<void(std::size_t index, const ChildEnd& end)> ended;
  std::function<void()> tick{};  ///< here, some ten times a second
  std::function<bool()> stop{};  ///< true: no child is started any more, and those that run get SIGTERM
};

/// Does `count` pieces of work. The process may have no other threads. Throws std::system_error where the system has no
/// room for a child.
void run_children(std::size_t count, const ChildPool& pool);

}  // namespace peerpath::cli
