// Parts common to all pages of the report: the frame around a body, and the elements that the script fills.
#pragma once

#include <string>
#include <string_view>

#include "tools/report/html.hpp"

namespace peerpath::report {

/// A whole page. The script finds `data` in it.
std::string document(std::string_view title, const std::string& body, std::string_view footer, const Json& data);

/// An element that the script draws a chart in; "" if the script was not built in.
std::string chart(std::string_view id, std::string_view label);

}  // namespace peerpath::report
