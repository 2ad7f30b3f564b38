// The formats of traces, one line each.
#pragma once

#include <memory>
#include <ostream>
#include <span>
#include <string_view>

#include "observe/trace/sink.hpp"

namespace peerpath::trace {

/// What a file is about. Must outlive its sink.
struct Subject {
  const observe::Scene& scene;
  std::vector<bool> links;   ///< by link: whether it is wanted
  std::string_view program;  ///< "peerpath 0.1.0"
  Window window;
  Instant end{};             ///< of the run: times in the file are not later
  bool picoseconds = false;  ///< a timeline counts these where its format knows nanoseconds
};

struct Format {
  std::string_view name;  ///< as --trace spells it
  std::string_view file;  ///< name of its file
  std::string_view doc;
  std::unique_ptr<Sink> (*make)(std::ostream& out, const Subject& subject);
};

std::span<const Format> formats();

}  // namespace peerpath::trace
