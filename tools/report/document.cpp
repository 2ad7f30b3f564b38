#include "tools/report/document.hpp"

#include <fmt/format.h>

#include "tools/report/embedded.hpp"
#include "tools/report/page.hpp"

namespace peerpath::report {

std::string document(std::string_view title, const std::string& body, std::string_view footer, const Json& data) {
  const auto results = script_safe(data.dump());
  const auto script = has_charts() ? charts_script() : std::string_view{};
  std::string text;
  text.reserve(body.size() + results.size() + style_sheet().size() + script.size() + 4096);
  text +=
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  text.append("<title>").append(escaped(title)).append("</title>\n");
  text.append("<style>\n").append(style_sheet()).append("</style>\n</head>\n<body>\n<main>\n").append(body);
  text.append("<footer>").append(footer).append("</footer>\n</main>\n");
  text.append("<script type=\"application/json\" id=\"results\">").append(results).append("</script>\n");
  if (!script.empty()) text.append("<script>\n").append(script).append("\n</script>\n");
  text += "</body>\n</html>\n";
  return text;
}

std::string chart(std::string_view id, std::string_view label) {
  return has_charts()
             ? fmt::format("<div class=\"chart\" id=\"{}\" role=\"img\" aria-label=\"{}\"></div>\n", id, escaped(label))
             : "";
}

}  // namespace peerpath::report
