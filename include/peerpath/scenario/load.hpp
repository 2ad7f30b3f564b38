// Reads a scenario file: JSON with comments, `extends`, presets and `--set` in, checked typed values out.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::scenario {

/// Where a value came from.
struct Origin {
  enum class Kind : std::uint8_t {
    built_in,      ///< the default of the option
    file,          ///< the scenario file itself
    preset,        ///< a file that it extends
    command_line,  ///< --set
  };
  Kind kind = Kind::built_in;
  std::string file;    ///< relative to the folder of the scenario; "" for built_in and command_line
  int line = 0;        ///< from 1
  int column = 0;      ///< from 1
  std::string source;  ///< source of the number: a data sheet, a measurement, "assumed"; "" if none is given
};

constexpr std::array<EnumName<Origin::Kind>, 4> enum_names(Origin::Kind) {
  return {{{"default", Origin::Kind::built_in},
           {"file", Origin::Kind::file},
           {"preset", Origin::Kind::preset},
           {"--set", Origin::Kind::command_line}}};
}

/// "default", "zero_copy.json:12:7", "../hardware/nic.json:4:3" or "--set".
std::string to_string(const Origin& origin);

/// The only door to the file system, so that tests and fuzzers can stand in front of it.
struct FileAccess {
  /// The text of a file, or one sentence that says why it cannot be read.
  std::function<tl::expected<std::string, std::string>(const std::filesystem::path&)> read;
  std::function<bool(const std::filesystem::path&)> exists;
};

/// Reads from disk and refuses files above `max_file_size`.
FileAccess disk();

/// Larger or deeper scenario files are refused: people and `peerpath import` write far smaller ones.
inline constexpr Bytes max_file_size = 16_MiB;
inline constexpr int max_nesting = 64;
inline constexpr int max_devices = 512;  ///< a PCIe domain has 256 bus numbers

struct LoadOptions {
  /// `--set` in order: "devices.nic0.queues=8". List entries go by place, by name, or (links) by their `to`.
  std::vector<std::string> overrides;
  /// Folders in which scenario names and `extends` are looked up after the file's own folder, e.g. scenarios/.
  std::vector<std::filesystem::path> search;
  FileAccess files = disk();
  bool without_traffic = false;  ///< for who asks for the hardware alone: a scenario need not have any
};

/// A scenario that can be run, and whence each value.
struct Loaded {
  Scenario scenario;
  std::filesystem::path file;                   ///< that was read
  std::map<std::string, Origin> origins;        ///< by JSON pointer, for every value of `scenario`
  std::vector<std::filesystem::path> captures;  ///< by traffic entry: where its capture was found; empty if it has none
};

/// `name` is a path (".json" may be left out) or the name of a scenario below a search folder. All problems are
/// reported, not only the first.
tl::expected<Loaded, Problems> load(const std::filesystem::path& name, const LoadOptions& options = {});

/// The same for a text in memory; problems name it `file`, and `extends` is relative to the folder of `file`.
tl::expected<Loaded, Problems> load_text(std::string_view text, const std::filesystem::path& file,
                                         const LoadOptions& options = {});

/// What is wrong with a scenario as a whole, keyed by JSON pointer, without positions: for scenarios built by a
/// program.
Problems check(const Scenario& scenario);

/// Fills in optional values that have only one possible meaning: `at`, `headers_to`, names of traffic.
void complete(Scenario& scenario);

}  // namespace peerpath::scenario
