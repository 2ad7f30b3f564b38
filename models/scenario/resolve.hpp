// Merges a scenario file with the files that it extends.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "peerpath/scenario/load.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {

/// Reads files and resolves `extends` (a name or a list of names, in any object) and `source` notes in them.
class Resolver {
 public:
  Resolver(const LoadOptions& options, Sources& sources, Report& report)
      : options_{options}, sources_{sources}, report_{report} {}

  /// The tree of `text`, which came from `file`; false if there is none. `out` has no `extends` left in it.
  bool resolve(std::string_view text, const std::filesystem::path& file, Node& out);

  /// The path of source file `index` (see `Place::file`).
  const std::filesystem::path& path(int index) const { return paths_[static_cast<std::size_t>(index)]; }

  /// `name` as a file: as it is, relative to `folder`, or below a search folder, with or without ".json"; "" if none.
  static std::filesystem::path find(const std::filesystem::path& name, const std::filesystem::path& folder,
                                    const LoadOptions& options);

 private:
  struct Preset {
    Node tree;
    std::size_t values = 0;
  };

  void take_notes(Node& node, const std::string& pointer, bool is_root);
  void expand(Node& node, const std::string& pointer);
  const Preset* preset(const Node& name, const std::string& pointer);

  const LoadOptions& options_;
  Sources& sources_;
  Report& report_;
  std::vector<std::filesystem::path> paths_;
  std::vector<std::filesystem::path> open_;  ///< files being resolved, to find cycles
  std::map<std::filesystem::path, Preset> presets_;
  std::size_t values_ = 0;
};

}  // namespace peerpath::scenario
