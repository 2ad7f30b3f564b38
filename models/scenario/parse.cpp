// nlohmann's parser reports values without positions, so a cursor walks the same text beside it and finds the place of
// each token. The cursor can rely on the text being valid up to the current token.
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "peerpath/scenario/load.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

using Type = Node::Type;

class Cursor {
 public:
  Cursor(std::string_view text, int file) : text_{text}, file_{file} {
    if (text_.starts_with("\xef\xbb\xbf")) offset_ = 3;
  }

  Place here() const { return {file_, line_, column_}; }

  /// The place of the next token, past white space, comments, commas and colons.
  Place next() {
    while (offset_ < text_.size()) {
      const char c = text_[offset_];
      if (c == '/')
        skip_comment();
      else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':')
        step();
      else
        break;
    }
    return here();
  }

  void skip_token() {
    next();
    if (offset_ >= text_.size()) return;
    const char c = text_[offset_];
    step();
    if (c == '{' || c == '}' || c == '[' || c == ']') return;
    if (c != '"') {
      while (offset_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[offset_])) ||
                                        text_[offset_] == '.' || text_[offset_] == '+' || text_[offset_] == '-'))
        step();
      return;
    }
    while (offset_ < text_.size() && text_[offset_] != '"') {
      if (text_[offset_] == '\\') step();
      step();
    }
    step();
  }

  /// Goes on to `offset`, which may not lie behind it.
  Place move_to(std::size_t offset) {
    while (offset_ < offset && offset_ < text_.size()) step();
    return here();
  }

  std::size_t offset() const { return offset_; }

 private:
  void step() {
    if (offset_ >= text_.size()) return;
    const auto c = static_cast<unsigned char>(text_[offset_++]);
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if ((c & 0xc0) != 0x80) {  // columns count characters, not bytes
      ++column_;
    }
  }

  void skip_comment() {
    const bool block = text_.substr(offset_, 2) == "/*";
    const auto end = text_.find(block ? "*/" : "\n", offset_ + 2);
    move_to(end == text_.npos ? text_.size() : end + (block ? 2 : 1));
  }

  std::string_view text_;
  int file_;
  std::size_t offset_ = 0;
  int line_ = 1;
  int column_ = 1;
};

class NodeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  NodeBuilder(std::string_view text, int file, Node& root, Report& report)
      : text_{text}, cursor_{text, file}, root_{root}, report_{report} {}

  bool null() override { return value(Type::null) != nullptr; }
  bool boolean(bool b) override {
    Node* node = value(Type::boolean);
    if (node) node->boolean = b;
    return node != nullptr;
  }
  bool number_integer(std::int64_t n) override { return number(Type::integer, n, static_cast<double>(n)); }
  bool number_unsigned(std::uint64_t n) override {
    if (n > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return number(Type::real, 0, static_cast<double>(n));
    return number(Type::integer, static_cast<std::int64_t>(n), static_cast<double>(n));
  }
  bool number_float(double x, const std::string&) override { return number(Type::real, 0, x); }
  bool string(std::string& text) override {
    Node* node = value(Type::string);
    if (node) node->text = std::move(text);
    return node != nullptr;
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // not in JSON text

  bool start_object(std::size_t) override { return open(Type::object); }
  bool start_array(std::size_t) override { return open(Type::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    const Place place = cursor_.next();
    cursor_.skip_token();
    Open& object = stack_.back();
    const auto [first, is_new] = object.keys.try_emplace(name, place);
    if (!is_new)
      report_.add(place, join(object.pointer, name),
                  "occurs twice in the same object; first in line " + std::to_string(first->second.line));
    object.node->members.push_back({name, place, {}});
    pending_pointer_ = join(object.pointer, name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error) override {
    const std::size_t width = token.starts_with("<") ? 1 : std::max<std::size_t>(token.size(), 1);
    const std::size_t end = std::min(position, text_.size());
    const std::size_t start = end < width ? 0 : end - width;
    Place place = start >= cursor_.offset() ? cursor_.move_to(start) : cursor_.next();
    report_.add(place, stack_.empty() ? "" : stack_.back().pointer, "not JSON: " + reason(error.what()));
    return false;
  }

 private:
  struct Open {
    Node* node;
    std::string pointer;
    std::unordered_map<std::string, Place> keys;
  };

  // Shortens the parser's message and adds the usual cause. The cursor is at the mistake.
  std::string reason(std::string_view what) const {
    const auto rest = text_.substr(cursor_.offset());
    if (what.find("out_of_range") != what.npos) return "a number too large for any machine";
    if (rest.starts_with('\0')) return "there is a NUL byte";
    if (what.find("invalid literal") != what.npos) {
      constexpr std::size_t longest = 24;
      const auto word = rest.substr(0, std::min(rest.find_first_of(" \t\r\n,:]}"), longest));
      const std::string shown = printable(word) + " is not a JSON value";
      if (word.starts_with('\'')) return shown + "; texts need double quotes";
      for (const auto* name : {"NaN", "nan", "inf", "Inf", "-inf", "-Inf"})
        if (word.starts_with(name)) return shown + "; numbers are finite here";
      return shown + "; texts need double quotes, numbers, true, false and null do not";
    }
    if (const auto dash = what.find(" - "); dash != what.npos) what.remove_prefix(dash + 3);
    std::string text{what.substr(0, what.find("; last read"))};
    if (what.starts_with("unexpected '}'; expected string literal") || what.starts_with("unexpected ']'; expected"))
      text += " (is there a comma too many before it?)";
    return text;
  }

  bool too_much(Place place, const std::string& pointer, const std::string& why) {
    report_.add(place, pointer, why);
    return false;
  }

  // A new value where the innermost open container wants one; its place is the next token.
  Node* value(Type type) {
    const Place place = cursor_.next();
    cursor_.skip_token();
    if (++values_ > max_values) {
      too_much(place, "", "more than " + std::to_string(max_values) + " values in one file");
      return nullptr;
    }
    Node* node = &root_;
    if (stack_.empty()) {
      last_pointer_.clear();
    } else if (Open& parent = stack_.back(); parent.node->is(Type::array)) {
      parent.node->items.emplace_back();
      node = &parent.node->items.back();
      if (type == Type::array || type == Type::object)
        last_pointer_ = join(parent.pointer, parent.node->items.size() - 1);
    } else {
      node = &parent.node->members.back().value;
      last_pointer_ = std::move(pending_pointer_);
    }
    node->type = type;
    node->place = place;
    return node;
  }

  bool number(Type type, std::int64_t n, double x) {
    const std::size_t before = (cursor_.next(), cursor_.offset());
    Node* node = value(type);
    if (node == nullptr) return false;
    node->integer = n;
    node->real = x;
    node->text = text_.substr(before, cursor_.offset() - before);
    return true;
  }

  bool open(Type type) {
    Node* node = value(type);
    if (node == nullptr) return false;
    if (static_cast<int>(stack_.size()) >= max_nesting)
      return too_much(node->place, "", "nested deeper than " + std::to_string(max_nesting) + " levels");
    stack_.push_back({node, last_pointer_, {}});
    return true;
  }

  bool close() {
    cursor_.next();
    cursor_.skip_token();
    stack_.pop_back();
    return true;
  }

  std::string_view text_;
  Cursor cursor_;
  Node& root_;
  Report& report_;
  std::vector<Open> stack_;
  std::string pending_pointer_, last_pointer_;
  std::size_t values_ = 0;
};

}  // namespace

bool parse(std::string_view text, int file, Node& out, Report& report) {
  Cursor cursor{text, file};
  cursor.next();
  if (cursor.offset() >= text.size()) {
    report.add({file, 0, 0}, "", "is empty; a scenario is a JSON object with \"devices\", \"links\" and \"traffic\"");
    return false;
  }
  NodeBuilder builder{text, file, out, report};
  return nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, true,
                                   true);
}

}  // namespace peerpath::scenario
