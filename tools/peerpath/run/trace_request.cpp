#include "tools/peerpath/run/trace_request.hpp"

#include "peerpath/base/nearest.hpp"
#include "scenario/quantity.hpp"
#include "tools/peerpath/command_line/split_list.hpp"
#include "tools/peerpath/command_line/version.hpp"

namespace peerpath::cli {
namespace {

/// The items of a list that an option gives; none without it.
std::vector<std::string> list_of(const Arguments& arguments, std::string_view option) {
  const auto text = arguments.value(option);
  return text ? split_list(*text, ',') : std::vector<std::string>{};
}

/// The time that an option gives, or `otherwise` without it; nullopt if it is none.
std::optional<Duration> time_of(const Arguments& arguments, std::string_view option, Duration otherwise,
                                const Terminal& terminal) {
  const auto text = arguments.value(option);
  if (!text) return otherwise;
  const auto time = scenario::parse_quantity<Duration>(*text);
  if (time) return *time;
  terminal.error(std::string{option} + ": \"" + *text + "\" is not a time; write e.g. \"20us\"");
  return std::nullopt;
}

}  // namespace

std::optional<trace::Request> trace_request(const Arguments& arguments, Instant end, const Terminal& terminal) {
  trace::Request request;
  bool good = true;
  for (const auto& word : list_of(arguments, "--trace")) {
    const trace::Format* found = nullptr;
    std::vector<std::string_view> names;
    std::string all;
    for (const auto& format : trace::formats()) {
      if (format.name == word) found = &format;
      names.push_back(format.name);
      all += (all.empty() ? "" : ", ") + std::string{format.name};
    }
    if (found != nullptr) {
      request.formats.push_back(found);
      continue;
    }
    const auto near = nearest(word, names);
    terminal.error("--trace takes " + all + ", not '" + word + "'" +
                   (near.empty() ? "" : "; did you mean '" + near + "'?"));
    good = false;
  }
  for (const std::string_view option : {"--trace-from", "--trace-for", "--trace-links", "--trace-scale"}) {
    if (!arguments.has(option) || arguments.has("--trace")) continue;
    terminal.error(std::string{option} + " requires --trace");
    good = false;
  }
  request.end = end;
  const auto from = time_of(arguments, "--trace-from", Duration{0}, terminal);
  const auto length = time_of(arguments, "--trace-for", request.end - Instant{}, terminal);
  if (!good || !from || !length) return std::nullopt;
  request.window.from = Instant{*from};
  request.window.until = never - request.window.from > *length ? request.window.from + *length : never;
  if (!request.formats.empty() && request.window.from >= request.end) {
    terminal.error("--trace-from is after the end of the run");
    return std::nullopt;
  }
  const auto scale = arguments.value("--trace-scale").value_or("ns");
  if (scale != "ns" && scale != "ps") {
    terminal.error("--trace-scale takes ns or ps, not '" + scale + "'");
    return std::nullopt;
  }
  request.picoseconds = scale == "ps";
  request.links = list_of(arguments, "--trace-links");
  request.program = "peerpath " + std::string{version()};
  return request;
}

bool finish_trace(trace::Tracer& tracer, RunRecord& record, const Terminal& terminal) {
  bool whole = true;
  for (const auto& file : tracer.finish()) {
    record.traces.push_back({file.written, file.name, file.what});
    if (file.whole) continue;
    terminal.error(file.written.string() + ": the trace could not be written completely; is the disk full?");
    whole = false;
  }
  return whole;
}

}  // namespace peerpath::cli
