// The page of `peerpath validate DATASET`: each curve as it was measured and as the model predicts it.
#pragma once

#include <string>
#include <string_view>

namespace peerpath::report {

/// The page for the JSON document of an assessment (validation/calibrate). Any other text gives an empty page.
std::string curves_page(std::string_view assessment);

}  // namespace peerpath::report
