// The loader of network scenarios on any text; nothing touches the disk.
#include <cstddef>
#include <cstdint>
#include <string>

#include "peerpath/base/fail.hpp"
#include "scenario/network/load.hpp"
#include "scenario/network/write.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace peerpath;
  const std::string text{reinterpret_cast<const char*>(data), size};
  scenario::LoadOptions options;
  options.files.read = [&](const std::filesystem::path&) -> tl::expected<std::string, std::string> { return text; };
  options.files.exists = [](const std::filesystem::path& path) { return path.filename().string().size() % 2 == 1; };
  const auto first = text.substr(0, text.find('\n'));
  if (first.size() < 40 && first.find('=') != first.npos) options.overrides = {first};
  const auto loaded = network_scenario::load_text(text, "fuzz.json", options);
  if (!loaded) return 0;
  if (!*loaded) {
    require(!loaded->error().empty(), "refused without a reason");
    return 0;
  }
  const auto json = network_scenario::written((*loaded)->scenario).dump();
  options.overrides.clear();
  const auto again = network_scenario::load_text(json, "again.json", options);
  require(again && again->has_value(), "its own output is refused");
  require(network_scenario::written((*again)->scenario).dump() == json, "its own output means something else");
  return 0;
}
