#include "validation/import/xml.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace peerpath::import {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view name_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:";

class XmlParser {
 public:
  XmlParser(std::string_view text, const std::string& file) : text_{text}, file_{file} {}

  tl::expected<Element, Problem> document() {
    take("\xef\xbb\xbf");  // byte order mark
    if (take("<?xml") && !skip_past("?>")) return tl::unexpected{*problem_};
    while (!problem_ && (!done_ || !open_.empty())) step();
    if (!problem_) skip_blanks_and_comments();
    if (!problem_ && !text_.empty()) fail("text after the end of the document");
    if (problem_) return tl::unexpected{*problem_};
    return std::move(root_);
  }

 private:
  /// The next tag, and the comments before it.
  void step() {
    if (!skip_blanks_and_comments()) return;
    if (text_.empty())
      fail(open_.empty() ? "no element in this file"
                         : "ends within <" + open_.back()->name + "> of line " + std::to_string(open_.back()->line));
    else if (take("</"))
      close();
    else if (take("<"))
      open();
    else
      fail("text between elements; this is no topology of NCCL");
  }

  void open() {
    Element element;
    element.line = line_;
    element.name = name();
    if (element.name.empty()) return fail("an element without a name");
    if (++count_ > most_elements) return fail("more than " + std::to_string(most_elements) + " elements");
    while (!problem_) {
      skip_blanks();
      const bool empty = take("/>");
      if (empty || take(">")) return add(std::move(element), empty);
      attribute(element);
    }
  }

  void add(Element element, bool empty) {
    Element* added = &root_;
    if (open_.empty())
      root_ = std::move(element);
    else
      added = &open_.back()->children.emplace_back(std::move(element));
    if (!empty) open_.push_back(added);
    done_ = open_.empty();
    if (open_.size() > static_cast<std::size_t>(deepest_element))
      fail("elements stand more than " + std::to_string(deepest_element) + " deep");
  }

  void close() {
    const auto closed = name();
    skip_blanks();
    if (!take(">")) return fail("</" + closed + " without its >");
    if (open_.empty()) return fail("</" + closed + "> closes nothing");
    if (open_.back()->name != closed)
      return fail("</" + closed + "> closes <" + open_.back()->name + "> of line " +
                  std::to_string(open_.back()->line));
    open_.pop_back();
    done_ = open_.empty();
  }

  void attribute(Element& element) {
    const auto key = name();
    if (key.empty()) return fail("<" + element.name + "> is not closed by >");
    skip_blanks();
    if (!take("=")) return fail(element.name + " has an attribute \"" + key + "\" without a value");
    skip_blanks();
    const char quote = text_.empty() ? '\0' : text_.front();
    const auto end = quote == '"' || quote == '\'' ? text_.find(quote, 1) : text_.npos;
    if (end == text_.npos) return fail("the value of " + element.name + "'s " + key + " is not in quotes");
    if (!element[key].empty()) return fail(element.name + " has two attributes \"" + key + "\"");
    auto value = plain(text_.substr(1, end - 1));
    advance(end + 1);
    if (!problem_) element.attributes.emplace_back(key, std::move(value));
  }

  /// A value with its entities replaced.
  std::string plain(std::string_view value) {
    constexpr std::array<std::pair<std::string_view, char>, 5> entities{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    std::string out;
    while (!value.empty()) {
      const auto* entity = std::ranges::find_if(entities, [&](const auto& e) { return value.starts_with(e.first); });
      if (value.front() == '<' || (value.front() == '&' && entity == entities.end())) {
        fail("a value with \"" + std::string{value.substr(0, 10)} + "\"; & and < are written &amp; and &lt;");
        return out;
      }
      out += entity == entities.end() ? value.front() : entity->second;
      value.remove_prefix(entity == entities.end() ? 1 : entity->first.size());
    }
    return out;
  }

  std::string name() {
    const auto end = std::min(text_.find_first_not_of(name_characters), text_.size());
    std::string word{text_.substr(0, end)};
    advance(end);
    return word;
  }

  bool skip_blanks_and_comments() {
    skip_blanks();
    while (!problem_ && take("<!--")) {
      if (!skip_past("-->")) return false;
      skip_blanks();
    }
    if (text_.starts_with("<!") || text_.starts_with("<?"))
      fail("declarations and instructions are not part of a topology");
    return !problem_;
  }

  void skip_blanks() { advance(std::min(text_.find_first_not_of(blanks), text_.size())); }

  bool skip_past(std::string_view end) {
    const auto at = text_.find(end);
    if (at == text_.npos)
      fail("ends before " + std::string{end});
    else
      advance(at + end.size());
    return !problem_;
  }

  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    advance(word.size());
    return true;
  }

  void advance(std::size_t size) {
    line_ += static_cast<int>(std::ranges::count(text_.substr(0, size), '\n'));
    text_.remove_prefix(size);
  }

  void fail(const std::string& what) {
    if (!problem_) problem_ = Problem{file_, line_, 1, "", what};
  }

  std::string_view text_;
  const std::string& file_;
  int line_ = 1, count_ = 0;
  bool done_ = false;  ///< the root element is closed
  Element root_;
  std::vector<Element*> open_;  ///< from the root on; only the last one gets children, so they stay where they are
  std::optional<Problem> problem_;
};

}  // namespace

std::string_view Element::operator[](std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &std::pair<std::string, std::string>::first);
  return found == attributes.end() ? std::string_view{} : std::string_view{found->second};
}

tl::expected<Element, Problem> parse_xml(std::string_view text, const std::string& file) {
  return XmlParser{text, file}.document();
}

}  // namespace peerpath::import
