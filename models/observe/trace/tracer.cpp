#include "observe/trace/tracer.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "peerpath/base/nearest.hpp"

namespace peerpath::trace {

bool matches(std::string_view pattern, std::string_view name) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const auto rest = pattern.substr(star + 1);
  for (auto from = star; from <= name.size(); ++from)
    if (matches(rest, name.substr(from))) return true;
  return false;
}

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

Problem unknown_link(const std::string& pattern, const observe::Scene& scene) {
  std::vector<std::string_view> names;
  std::string all;
  for (const auto& link : scene.links) {
    names.push_back(link.name);
    if (link.shape != "internal") all += (all.empty() ? "" : ", ") + link.name;
  }
  const auto near = nearest(pattern, names);
  return {.file = {},
          .key = "--trace-links",
          .message = "no link is called '" + pattern + "'" +
                     (near.empty() ? "; there are " + all : "; did you mean '" + near + "'?")};
}

Instant when(const Seen& seen) {
  return std::visit([](const auto& one) { return one.when; }, seen);
}

/// Order at one instant and in a file.
std::tuple<Instant, std::size_t, std::uint16_t, int> place(const Seen& seen) {
  const auto [node, number] = std::visit(Overloaded{[](const Frame& f) {
                                                      return std::pair{f.nic, 2 * f.port + (f.out ? 1 : 0)};
                                                    },
                                                    [](const Work& w) {
                                                      return std::pair{w.host, w.core};
                                                    },
                                                    [](const Level& l) {
                                                      return std::pair{l.nic, 0};
                                                    }},
                                         seen);
  return {when(seen), seen.index(), node.value(), number};
}

void show_to(Sink& sink, const Seen& seen) {
  std::visit(Overloaded{[&](const Frame& f) { sink.frame(f); }, [&](const Work& w) { sink.work(w); },
                        [&](const Level& l) { sink.level(l); }},
             seen);
}

}  // namespace

Tracer::Tracer(Request request, std::filesystem::path folder)
    : request_{std::move(request)}, folder_{std::move(folder)} {}

Tracer::~Tracer() = default;

Problems Tracer::built(const observe::Scene& scene) {
  Problems problems;
  scene_.emplace(scene);
  tags_.emplace(scene_->topology);
  subject_.emplace(Subject{*scene_, std::vector<bool>(scene.links.size()), request_.program, request_.window,
                           request_.end, request_.picoseconds});
  for (std::size_t n = 0; n < scene.links.size(); ++n)
    subject_->links[n] = request_.links.empty() && scene.links[n].shape != "internal";
  for (const auto& pattern : request_.links) {
    bool any = false;
    for (std::size_t n = 0; n < scene.links.size(); ++n) {
      if (!matches(pattern, scene.links[n].name)) continue;
      subject_->links[n] = any = true;
    }
    if (!any) problems.push_back(unknown_link(pattern, scene));
  }
  if (!problems.empty()) return problems;
  for (const auto* format : request_.formats) {
    const auto name = folder_ / format->file;
    File file{PartFile{name}, std::string{format->file}, nullptr, nullptr};
    file.out = std::make_unique<std::ofstream>(file.part.path(), std::ios::binary);
    if (!*file.out) problems.push_back({.file = {}, .key = "--trace", .message = name.string() + " cannot be written"});
    file.sink = format->make(*file.out, *subject_);
    files_.push_back(std::move(file));
  }
  return problems;
}

device::Endpoint& Tracer::guide(device::Endpoint& device, const device::Place& place) {
  taps_.push_back(std::make_unique<Tap>(device, place.node, [this](const Seen& seen) {
    if (request_.window.holds(when(seen))) seen_.push_back(seen);
  }));
  return *taps_.back();
}

/// Devices tell ahead of time, and in any order among each other.
void Tracer::pass_on(Instant until) {
  if (seen_.empty()) return;
  const auto later =
      std::stable_partition(seen_.begin(), seen_.end(), [&](const Seen& seen) { return when(seen) < until; });
  std::stable_sort(seen_.begin(), later, [](const Seen& a, const Seen& b) { return place(a) < place(b); });
  for (auto seen = seen_.begin(); seen != later; ++seen)
    for (const auto& file : files_) show_to(*file.sink, *seen);
  seen_.erase(seen_.begin(), later);
}

void Tracer::see(const fabric::TlpRecord& record, const fabric::Transaction& asked) {
  show(tags_->complete(record, asked));
}

void Tracer::show(Tlp tlp) {
  tlp.shown = subject_->links[tlp.record.link.value()];
  if (!request_.window.holds(tlp.record.start)) return;
  pass_on(tlp.record.start);
  for (const auto& file : files_) file.sink->tlp(tlp);
}

void Tracer::show(const Frame& frame) {
  if (!request_.window.holds(frame.when)) return;
  for (const auto& file : files_) file.sink->frame(frame);
}

void Tracer::reached(Instant horizon) { pass_on(horizon); }

std::vector<Tracer::Written> Tracer::finish() {
  pass_on(never);
  std::vector<Written> written;
  for (auto& file : files_) {
    Written one{file.part.path(), file.name, file.sink->finish()};
    file.out->close();
    one.whole = file.out->good();
    written.push_back(std::move(one));
  }
  return written;
}

}  // namespace peerpath::trace
