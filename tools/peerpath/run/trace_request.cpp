#include "tools/peerpath/run/trace_request.hpp"

#include <algorithm>

#include "scenario/quantity.hpp"
#include "study/text/split_list.hpp"
#include "tools/peerpath/command_line/version.hpp"

namespace peerpath::cli {
namespace {

/// The items of a list that an option gives; none without it.
std::vector<std::string> list_of(const Arguments& arguments, std::string_view option) {
  const auto text = arguments.value(option);
  return text ? study::split_list(*text, ',') : std::vector<std::string>{};
}

/// Puts the time that an option gives, if it is given, into `time`; false, and said why, if it is none.
bool read_time(const Arguments& arguments, std::string_view option, std::optional<Duration>& time,
               const Terminal& terminal) {
  const auto text = arguments.value(option);
  if (!text) return true;
  const auto read = scenario::parse_quantity<Duration>(*text);
  if (read)
    time = *read;
  else
    terminal.error(std::string{option} + ": \"" + *text + "\" is not a time; write e.g. \"20us\"");
  return read.has_value();
}

}  // namespace

std::optional<TraceArguments> trace_arguments(const Arguments& arguments, const Terminal& terminal) {
  TraceArguments wanted;
  bool good = true;
  for (const auto& word : list_of(arguments, "--trace"))
    wanted.formats.push_back(&*std::ranges::find(trace::formats(), word, &trace::Format::name));
  for (const std::string_view option : {"--trace-from", "--trace-for", "--trace-links", "--trace-scale"}) {
    if (!arguments.has(option) || arguments.has("--trace")) continue;
    terminal.error(std::string{option} + " requires --trace");
    good = false;
  }
  std::optional<Duration> from;
  good = read_time(arguments, "--trace-from", from, terminal) && good;
  good = read_time(arguments, "--trace-for", wanted.length, terminal) && good;
  if (!good) return std::nullopt;
  wanted.from = from.value_or(Duration{0});
  wanted.picoseconds = arguments.value("--trace-scale") == "ps";
  wanted.links = list_of(arguments, "--trace-links");
  return wanted;
}

std::optional<trace::Request> trace_request(const TraceArguments& wanted, Instant end, const Terminal& terminal) {
  trace::Request request;
  request.formats = wanted.formats;
  request.links = wanted.links;
  request.end = end;
  request.window.from = Instant{wanted.from};
  const auto length = wanted.length.value_or(end - Instant{});
  request.window.until = never - request.window.from > length ? request.window.from + length : never;
  if (!request.formats.empty() && request.window.from >= request.end) {
    terminal.error("--trace-from is after the end of the run");
    return std::nullopt;
  }
  request.picoseconds = wanted.picoseconds;
  request.program = "peerpath " + std::string{version()};
  return request;
}

}  // namespace peerpath::cli
