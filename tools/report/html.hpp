// Small pieces of HTML.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace peerpath::report {

using Json = nlohmann::ordered_json;

/// The text with HTML's special characters escaped, for an element or a quoted attribute.
std::string escaped(std::string_view text);

/// JSON inside a <script> element: no "<", so that nothing in it can end the element.
std::string script_safe(std::string_view json);

/// A number with `places` decimals; "-" for a value that is not a number.
std::string fixed(const Json& number, int places);

/// 1234567 as "1 234 567" with narrow blanks.
std::string grouped(std::int64_t number);

/// The text, or "" where there is none.
const std::string& text_at(const Json& object, const char* key);
/// The element, or null.
const Json& at(const Json& object, const char* key);

/// Value of a metric of results.json, or null.
const Json& metric(const Json& results, const std::string& name);

/// <table> with a head; cells are HTML. Columns from `first_number` on are numbers.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                  std::size_t first_number);

/// A part of the page with a heading; nothing if `body` is empty.
std::string section(std::string_view id, std::string_view title, const std::string& body, std::string_view note = "");

}  // namespace peerpath::report
