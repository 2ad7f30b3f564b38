#include "tools/report/document.hpp"

#include <fmt/format.h>

#include "tools/report/embedded.hpp"
#include "tools/report/page.hpp"

namespace peerpath::report {

std::string document(std::string_view title, const std::string& body, std::string_view footer, const Json& data) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  text += "<title>" + escaped(title) + "</title>\n";
  text += "<style>\n" + std::string{style_sheet()} + "</style>\n</head>\n<body>\n<main>\n" + body;
  text += "<footer>" + std::string{footer} + "</footer>\n</main>\n";
  text += "<script type=\"application/json\" id=\"results\">" + script_safe(data.dump()) + "</script>\n";
  if (has_charts()) text += "<script>\n" + std::string{charts_script()} + "\n</script>\n";
  return text + "</body>\n</html>\n";
}

std::string chart(std::string_view id, std::string_view label) {
  return has_charts()
             ? fmt::format("<div class=\"chart\" id=\"{}\" role=\"img\" aria-label=\"{}\"></div>\n", id, escaped(label))
             : "";
}

}  // namespace peerpath::report
