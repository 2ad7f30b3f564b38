#include "tools/report/html.hpp"

#include <fmt/format.h>

namespace peerpath::report {
namespace {

const Json null_json;
const std::string no_text;

/// The text with `instead(c)` in place of each character for which that is not empty.
template <class Instead>
std::string replaced(std::string_view text, Instead instead) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view other = instead(text[at]);
    if (other.empty()) continue;
    result.append(text, from, at - from).append(other);
    from = at + 1;
  }
  return result.append(text, from);
}

}  // namespace

std::string escaped(std::string_view text) {
  return replaced(text, [](char c) -> std::string_view {
    switch (c) {
      case '&':
        return "&amp;";
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";
      case '"':
        return "&quot;";
      default:
        return {};
    }
  });
}

std::string script_safe(std::string_view json) {
  return replaced(json, [](char c) -> std::string_view { return c == '<' ? "\\u003c" : ""; });
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

const std::string& text_at(const Json& object, const char* key) {
  const auto* text = at(object, key).get_ptr<const std::string*>();
  return text == nullptr ? no_text : *text;
}

const Json& metric(const Json& results, const std::string& name) {
  for (const auto& m : at(results, "metrics"))
    if (text_at(m, "name") == name) return at(m, "value");
  return null_json;
}

std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                  std::size_t first_number) {
  if (rows.empty()) return "";
  std::string text = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
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
