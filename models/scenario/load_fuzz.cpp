// The loader on any text. Files can only be the text itself, so `extends` is met with itself, and nothing touches the
// disk.
#include <cstddef>
#include <cstdint>
#include <string>

#include "peerpath/base/fail.hpp"
#include "peerpath/scenario/describe.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace peerpath;
  const std::string text{reinterpret_cast<const char*>(data), size};
  scenario::LoadOptions options;
  // The first file that is asked for is a preset made of the same text; all others are missing.
  options.files.read = [&](const std::filesystem::path&) -> tl::expected<std::string, std::string> { return text; };
  options.files.exists = [](const std::filesystem::path& path) { return path.filename().string().size() % 2 == 1; };
  if (const auto newline = text.find('\n'); newline < 40) options.overrides = {text.substr(0, newline)};
  const auto loaded = scenario::load_text(text, "fuzz.json", options);
  if (!loaded) {
    require(!loaded.error().empty(), "refused without a reason");
    return 0;
  }
  require(scenario::check(loaded->scenario).empty(), "loaded, but wrong");
  const auto json = scenario::to_json(loaded->scenario);
  options.overrides.clear();
  const auto again = scenario::load_text(json, "again.json", options);
  require(again.has_value(), "its own output is refused");
  require(scenario::to_json(again->scenario) == json, "its own output means something else");
  return 0;
}
