// Which files `peerpath test` takes.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "peerpath/base/problem.hpp"

namespace peerpath::cli {

/// The scenarios that words name: files, names such as netgpu/zero_copy, and of folders every .json below them but
/// those in a folder `invalid`. Sorted, each once. A word that names nothing is a problem.
tl::expected<std::vector<std::string>, Problems> test_files(const std::vector<std::string>& words);

}  // namespace peerpath::cli
