#include "study/varied.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include <nlohmann/json.hpp>

#include "peerpath/base/glob.hpp"
#include "peerpath/scenario/prepared.hpp"
#include "scenario/missing_key.hpp"
#include "study/kinds.hpp"
#include "study/run.hpp"

namespace peerpath::study {
namespace {

/// Whether one of the problems is at the key or at an object on the way to it.
bool lacks(std::string key, const Problems& problems) {
  std::ranges::replace(key, '.', '/');
  const auto pointer = "/" + key + "/";
  return std::ranges::any_of(problems, [&](const Problem& problem) { return pointer.starts_with(problem.key + "/"); });
}

}  // namespace

struct Varied::Parts {
  std::filesystem::path file;
  scenario::LoadOptions options;
  scenario::Prepared prepared;
  const Kind* kind = nullptr;
  SubjectPtr subject;
};

tl::expected<Varied, Problems> Varied::read(const std::filesystem::path& name, const scenario::LoadOptions& options) {
  auto prepared = scenario::Prepared::read(name, options);
  if (!prepared) return tl::unexpected{prepared.error()};
  auto parts = std::make_shared<Parts>(Parts{name, options, std::move(*prepared), nullptr, nullptr});
  for (const auto& kind : kinds()) {
    auto subject = kind.vary(parts->prepared, name, options, {});
    if (!subject) continue;
    if (!*subject) return tl::unexpected{subject->error()};
    parts->kind = &kind;
    parts->subject = std::move(**subject);
    break;
  }
  return Varied{std::move(parts)};
}

const Subject& Varied::subject() const { return *parts_->subject; }
nlohmann::ordered_json Varied::written() const {
  auto written = parts_->subject->written();
  written.erase("sweep");
  return written;
}

tl::expected<SubjectPtr, Problems> Varied::with(const std::vector<std::string>& overrides) const {
  return parts_->kind->vary(parts_->prepared, parts_->file, parts_->options, overrides).value();
}

tl::expected<std::vector<std::string>, std::string> Varied::keys(const std::string& pattern,
                                                                 const std::string& value) const {
  auto keys = parts_->prepared.keys(pattern);
  if (!keys || !has_wildcard(pattern)) return keys;
  const auto missing = [&](std::span<const std::string> some) {
    std::vector<std::string> overrides;
    for (const auto& key : some) overrides.push_back(key + "=" + value);
    auto found = problems(overrides);
    std::erase_if(found, std::not_fn(scenario::is_about_missing_key));
    return found;
  };
  const auto matched = keys->size();
  Problems refused;
  // All at once as long as problems tell by their pointers which keys they are about. One by one if not: those of an
  // entry of `hosts` have the pointers of its machines.
  for (auto found = missing(*keys); !found.empty(); found = missing(*keys)) {
    refused.insert(refused.end(), found.begin(), found.end());
    if (std::erase_if(*keys, [&](const auto& key) { return lacks(key, found); }) > 0) continue;
    std::erase_if(*keys, [&](const auto& key) { return !missing({&key, 1}).empty(); });
    break;
  }
  if (!keys->empty()) return keys;
  const auto helpful =
      std::ranges::find_if(refused, [](const Problem& p) { return p.message.find("did you mean") != p.message.npos; });
  return tl::unexpected{"none of the " + std::to_string(matched) + " objects that \"" + pattern +
                        "\" matches has this key; " + to_string(helpful == refused.end() ? refused.front() : *helpful)};
}

std::vector<std::string> Varied::metrics(const std::vector<std::string>& overrides) const {
  std::vector<std::string> names;
  if (const auto subject = with(overrides))
    for (const auto& metric : (*subject)->metrics()) names.push_back(metric.name);
  return names;
}

Problems Varied::problems(const std::vector<std::string>& overrides) const {
  const auto subject = with(overrides);
  return subject ? Problems{} : subject.error();
}

Summary Varied::run(const std::vector<std::string>& overrides, const std::function<bool()>& stop) const {
  const auto subject = with(overrides);
  return subject ? run_summary(**subject, stop) : wrong(subject.error());
}

}  // namespace peerpath::study
