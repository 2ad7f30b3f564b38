// A scenario file that is read once and loaded many times, each time with other overrides: for sweeps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peerpath/scenario/load.hpp"

namespace peerpath::scenario {

class Prepared {
 public:
  /// Reads the file and all that it extends. `name` and `options` as for `load`; problems are those of reading alone.
  static tl::expected<Prepared, Problems> read(const std::filesystem::path& name, const LoadOptions& options);

  /// What `load` would give with these overrides after those of the options. Opens no file but captures.
  tl::expected<Loaded, Problems> with(const std::vector<std::string>& overrides) const;

  /// The keys of overrides that a pattern stands for. A part with `*` or `?` matches members and entries of lists (by
  /// place, name or `to`) as the file has them; "nic0.queues" is short for "devices.nic0.queues", and `mps` and `mrrs`
  /// of a device for its function's max_payload and max_read_request. A pattern without wildcards is one key. Else one
  /// sentence that says why nothing matches.
  tl::expected<std::vector<std::string>, std::string> keys(const std::string& pattern) const;

 private:
  struct Parts;
  friend tl::expected<Loaded, Problems> load_text(std::string_view text, const std::filesystem::path& file,
                                                  const LoadOptions& options);
  std::shared_ptr<const Parts> parts_;
};

}  // namespace peerpath::scenario
