// What a kind of scenario gives, so that its files are told from others and can be varied.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "peerpath/scenario/prepared.hpp"
#include "study/subject.hpp"

namespace peerpath::study {

/// Nothing: the file is of another kind.
using MaybeSubject = std::optional<tl::expected<SubjectPtr, Problems>>;

struct Kind {
  MaybeSubject (*load)(const std::filesystem::path& name, const scenario::LoadOptions& options);
  /// The same with more overrides. `prepared` is the file as `name` and `options` give it.
  MaybeSubject (*vary)(const scenario::Prepared& prepared, const std::filesystem::path& name,
                       const scenario::LoadOptions& options, const std::vector<std::string>& overrides);
};

}  // namespace peerpath::study
