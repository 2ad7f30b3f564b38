// The one way to load a scenario and to run it.
#pragma once

#include <functional>

#include "study/subject.hpp"
#include "study/summary.hpp"

namespace peerpath::study {

/// The scenario of that name, of whatever kind it is, or all problems of it. `name` and `options` as for
/// `scenario::load`.
tl::expected<SubjectPtr, Problems> load(const std::filesystem::path& name, const scenario::LoadOptions& options);

/// Runs it in this thread and judges it. All problems have their places.
tl::expected<OutcomePtr, Problems> run(const Subject& subject, const RunRequest& request);

/// The same on the plain loop, as `test` and `sweep` keep it. `stop` is asked about ten times a second.
Summary run_summary(const Subject& subject, const std::function<bool()>& stop = {});

}  // namespace peerpath::study
