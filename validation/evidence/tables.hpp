// The tables of docs/validation.md and README.md, made of evidence.json and of the results that are kept beside it.
#pragma once

#include <map>
#include <span>
#include <string>

#include "validation/evidence/judge.hpp"

namespace peerpath::evidence {

/// Text of each block by its name.
using Blocks = std::map<std::string, std::string, std::less<>>;

Blocks tables(const Evidence& evidence, std::span<const Judged> rows);

/// `document` with each block replaced: it begins after `<!-- evidence: NAME -->` and goes to `<!-- end -->`. Refused:
/// a block that there is not, and one without an end.
tl::expected<std::string, Problems> with_tables(const std::string& document, const std::string& file,
                                                const Blocks& blocks);

}  // namespace peerpath::evidence
