#include "validation/import/xml.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace peerpath::import {
namespace {

/// What a well-formed document must not hold, element after element.
class Limits {
 public:
  Limits(const Xml& xml, const std::string& file, TextBetween text) : xml_{xml}, file_{file}, text_{text} {}

  /// The first problem of the element and what stands in it.
  std::optional<Problem> broken_by(const pugi::xml_node& element, int depth = 1) {
    if (depth > deepest_element)
      return problem(element, "elements are nested more than " + std::to_string(deepest_element) + " deep");
    if (++count_ > most_elements) return problem(element, "more than " + std::to_string(most_elements) + " elements");
    std::set<std::string_view> names;
    for (const auto& attribute : element.attributes())
      if (!names.insert(attribute.name()).second)
        return problem(element, std::string{element.name()} + " has two attributes \"" + attribute.name() + "\"");
    for (const auto& child : element.children()) {
      if (child.type() != pugi::node_element && text_ == TextBetween::ignored) continue;
      if (child.type() != pugi::node_element)
        return problem(child, "text between elements; this is no topology of NCCL");
      if (auto found = broken_by(child, depth + 1)) return found;
    }
    return {};
  }

 private:
  Problem problem(const pugi::xml_node& at, const std::string& what) const {
    return {file_, xml_.line_of(at), 1, "", what};
  }

  const Xml& xml_;
  const std::string& file_;
  TextBetween text_;
  int count_ = 0;
};

}  // namespace

tl::expected<Xml, Problem> Xml::read(std::string_view text, const std::string& file, TextBetween text_between) {
  Xml xml{text};
  const auto refuse = [&](std::ptrdiff_t at, const std::string& what) {
    return tl::make_unexpected(Problem{file, xml.line_at(at), 1, "", what});
  };
  // pugixml takes a zero byte for the end of the document.
  if (const auto zero = text.find('\0'); zero != text.npos)
    return refuse(static_cast<std::ptrdiff_t>(zero), "a zero byte; this is no XML");
  const auto read = xml.document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!read) return refuse(read.offset, std::string{"no well-formed XML: "} + read.description());
  if (auto problem = Limits{xml, file, text_between}.broken_by(xml.root()))
    return tl::make_unexpected(*std::move(problem));
  for (const auto& other : xml.document_.children())
    if (other != xml.root()) return refuse(other.offset_debug(), "a second root element; a dump has one");
  return xml;
}

Xml::Xml(std::string_view text) {
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    line_ends_.push_back(static_cast<std::ptrdiff_t>(at));
}

int Xml::line_at(std::ptrdiff_t offset) const {
  return 1 + static_cast<int>(std::ranges::lower_bound(line_ends_, offset) - line_ends_.begin());
}

}  // namespace peerpath::import
