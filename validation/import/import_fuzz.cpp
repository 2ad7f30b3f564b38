// The importers on any text: a dump is refused with reasons, or makes a scenario that loads.
#include <cstddef>
#include <cstdint>
#include <string>

#include "peerpath/base/fail.hpp"
#include "peerpath/scenario/load.hpp"
#include "validation/import/import.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace peerpath;
  const auto preset = import::import_dump({reinterpret_cast<const char*>(data), size}, "dump");
  if (!preset) {
    require(!preset.error().empty(), "refused without a reason");
    return 0;
  }
  scenario::LoadOptions options;
  options.without_traffic = true;
  const auto loaded = scenario::load_text(preset->text, "preset.json", options);
  require(loaded.has_value(), loaded ? "" : to_string(loaded.error().front()));
  return 0;
}
