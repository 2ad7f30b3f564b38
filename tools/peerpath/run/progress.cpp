#include "tools/peerpath/run/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace peerpath::cli {
namespace {

std::string spell(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.1f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

double in_seconds(Duration d) { return static_cast<double>(d.count()) * 1e-15; }

}  // namespace

std::string progress_text(Duration simulated, Duration total, std::chrono::nanoseconds wall) {
  const double real = static_cast<double>(wall.count()) * 1e-9;
  const double done = in_seconds(simulated);
  const double all = in_seconds(total);
  auto text = fmt::format("simulated {} of {} ({:.0f} %)", spell(done), spell(all), all > 0 ? 100 * done / all : 0);
  if (real > 0 && done > 0)
    text += fmt::format(", {:.2g} x real time, {} left", done / real, spell((all - done) * real / done));
  return text;
}

Progress::Progress(const Terminal& terminal) : shown_{terminal.progress()} {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(Duration simulated, Duration total) {
  if (!shown_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds{100};
  drawn_ = true;
  const auto text = progress_text(simulated, total, now - started_);
  std::fprintf(stderr, "\r%s\033[K", text.c_str());
  std::fflush(stderr);
}

}  // namespace peerpath::cli
