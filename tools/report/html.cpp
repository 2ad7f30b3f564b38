#include "tools/report/html.hpp"

#include <fmt/format.h>

namespace peerpath::report {
namespace {

const Json null_json;

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string script_safe(std::string_view json) {
  std::string result;
  for (const char c : json) result += c == '<' ? std::string{"\\u003c"} : std::string{c};
  return result;
}

std::string fixed(const Json& number, int places) {
  return number.is_number() ? fmt::format("{:.{}f}", number.get<double>(), places) : "-";
}

std::string grouped(std::int64_t number) {
  auto text = std::to_string(number);
  for (auto place = static_cast<int>(text.size()) - 3; place > (number < 0 ? 1 : 0); place -= 3)
    text.insert(static_cast<std::size_t>(place), "&#8239;");
  return text;
}

const Json& at(const Json& object, const char* key) {
  if (!object.is_object()) return null_json;
  const auto found = object.find(key);
  return found == object.end() ? null_json : *found;
}

std::string text_at(const Json& object, const char* key) {
  const auto& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

const Json& metric(const Json& results, const std::string& name) {
  for (const auto& m : at(results, "metrics"))
    if (text_at(m, "name") == name) return at(m, "value");
  return null_json;
}

std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                  std::size_t first_number) {
  if (rows.empty()) return "";
  std::string text = "<div class=\"scroll\"><table><thead><tr>";
  for (std::size_t n = 0; n < head.size(); ++n)
    text += (n < first_number ? "<th>" : "<th class=\"number\">") + head[n] + "</th>";
  text += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    text += "<tr>";
    for (std::size_t n = 0; n < row.size(); ++n)
      text += (n < first_number ? "<td>" : "<td class=\"number\">") + row[n] + "</td>";
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string section(std::string_view id, std::string_view title, const std::string& body, std::string_view note) {
  if (body.empty()) return "";
  auto text = fmt::format("<section id=\"{}\"><h2>{}</h2>\n", id, title);
  if (!note.empty()) text += fmt::format("<p class=\"note\">{}</p>\n", note);
  return text + body + "</section>\n";
}

}  // namespace peerpath::report
