// Runs a scenario in a program of one's own, twice with another payload size, and prints goodput.
#include <cstdio>
#include <string>

#include "peerpath/observe/finish.hpp"
#include "peerpath/platform/run.hpp"
#include "peerpath/scenario/load.hpp"

int main(int count, char** words) {
  if (count != 2) return 2;
  for (const std::string size : {"4KiB", "1KiB"}) {
    const auto loaded = peerpath::scenario::load(words[1], {.overrides = {"traffic.rx.sizes=" + size}});
    if (!loaded) {
      for (const auto& problem : loaded.error()) std::fprintf(stderr, "%s\n", problem.message.c_str());
      return 2;
    }
    auto results = peerpath::platform::run(loaded->scenario);
    if (!results) return 2;
    peerpath::observe::finish(*results, loaded->scenario);
    const auto* goodput = peerpath::observe::find_metric(*results, "rx.goodput_gbps");
    if (goodput == nullptr || !goodput->value) return 1;
    std::printf("%s: %s Gb/s\n", size.c_str(), to_string(*goodput->value).c_str());
  }
}
