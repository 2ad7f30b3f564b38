#include "scenario/resolve.hpp"

#include <algorithm>
#include <set>

#include "scenario/disk.hpp"
#include "scenario/merge.hpp"
#include "scenario/suggest.hpp"

namespace peerpath::scenario {
namespace fs = std::filesystem;
namespace {

void set_note(Node& node, int note) {
  if (node.note < 0) node.note = note;
  for (Node& item : node.items) set_note(item, note);
  for (Member& member : node.members)
    if (member.key != "kind" && member.key != "at") set_note(member.value, note);
}

std::vector<std::string> keys_of(const Node& node) {
  std::vector<std::string> keys;
  for (const Member& member : node.members) keys.push_back(member.key);
  return keys;
}

std::string spelt(const fs::path& path) {
  const auto text = path.lexically_normal().generic_string();
  return text.empty() ? path.generic_string() : text;
}

/// `; did you mean "h200"?`: the nearest file where this one was looked for, spelt as the name is.
std::string similar_file(const fs::path& name, const fs::path& folder, const LoadOptions& options) {
  if (options.search.empty()) return {};  // no program that people name files to
  auto bases = options.search;
  bases.insert(bases.begin(), folder);
  std::vector<std::string> names;
  for (const fs::path& base : bases)
    for (const auto& found : json_names_in(base / name.parent_path())) names.push_back(found);
  const bool with_extension = name.extension() == ".json";
  auto before = name.parent_path().generic_string();
  if (!before.empty() && !before.ends_with('/')) before += '/';
  return did_you_mean((with_extension ? name.stem() : name.filename()).generic_string(), names, before,
                      with_extension ? ".json" : "");
}

}  // namespace

fs::path Resolver::find(const fs::path& name, const fs::path& folder, const LoadOptions& options) {
  std::vector<fs::path> bases{folder};
  bases.insert(bases.end(), options.search.begin(), options.search.end());
  for (const fs::path& base : bases) {
    const fs::path path = base / name;
    if (options.files.exists(path)) return path;
    if (const fs::path with = path.generic_string() + ".json"; options.files.exists(with)) return with;
  }
  return {};
}

bool Resolver::resolve(std::string_view text, const fs::path& file, Node& out) {
  const int index = static_cast<int>(sources_.files.size());
  sources_.files.push_back(spelt(file));
  paths_.push_back(file);
  if (!parse(text, index, out, report_)) return false;
  if (!out.is(Node::Type::object)) {
    report_.add(out.place, "", "is " + shown(out) + "; a scenario is a JSON object");
    return false;
  }
  open_.push_back(spelt(file));
  take_notes(out, "", true);
  expand(out, "");
  open_.pop_back();
  return true;
}

// `source` names the source of the values beside it: one text for the whole object, or texts by key.
void Resolver::take_notes(Node& node, const std::string& pointer, bool is_root) {
  for (std::size_t i = 0; i < node.items.size(); ++i) take_notes(node.items[i], join(pointer, i), false);
  for (Member& member : node.members)
    if (member.key != "source") take_notes(member.value, join(pointer, member.key), false);
  const Node* found = node.find("source");
  if (found == nullptr) return;
  const Node source = *found;
  const auto note_of = [&](const Node& text) {
    sources_.notes.push_back(text.text);
    return static_cast<int>(sources_.notes.size()) - 1;
  };
  if (source.is(Node::Type::string)) {
    if (is_root && node.find("kind") == nullptr) return;  // the source of the scenario as a whole
    set_note(node, note_of(source));
  } else if (source.is(Node::Type::object)) {
    for (const Member& member : source.members) {
      Node* value = node.find(member.key);
      const std::string at = join(join(pointer, "source"), member.key);
      if (!member.value.is(Node::Type::string)) {
        report_.add(member.value.place, at, shown(member.value) + " is no text");
      } else if (value == nullptr || member.key == "source") {
        report_.add(member.place, at, "there is no such value beside it" + did_you_mean(member.key, keys_of(node)));
      } else {
        set_note(*value, note_of(member.value));
      }
    }
  } else {
    report_.add(source.place, join(pointer, "source"), shown(source) + " is neither a text nor texts by key");
  }
  std::erase_if(node.members, [](const Member& m) { return m.key == "source"; });
}

void Resolver::expand(Node& node, const std::string& pointer) {
  for (std::size_t i = 0; i < node.items.size(); ++i) expand(node.items[i], join(pointer, i));
  Node names;
  for (Member& member : node.members) {
    if (member.key == "extends")
      names = std::move(member.value);
    else
      expand(member.value, join(pointer, member.key));
  }
  if (names.is(Node::Type::null)) {
    std::erase_if(node.members, [](const Member& m) { return m.value.is(Node::Type::null) && m.key == "extends"; });
    return;
  }
  std::erase_if(node.members, [](const Member& m) { return m.key == "extends"; });
  const std::string at = join(pointer, "extends");
  if (names.is(Node::Type::string)) {
    Node list;
    list.type = Node::Type::array;
    list.items.push_back(std::move(names));
    names = std::move(list);
  } else if (!names.is(Node::Type::array)) {
    report_.add(names.place, at, shown(names) + " is neither the name of a file nor a list of names");
    report_.give_up(pointer);
    return;
  }
  Node base;
  base.type = Node::Type::object;
  for (const Node& name : names.items) {
    const Preset* found = preset(name, at);
    if (found == nullptr) {
      report_.give_up(pointer);
      continue;
    }
    values_ += found->values;
    if (values_ > max_values) {
      if (values_ - found->values <= max_values)
        report_.add(name.place, at, "brings the values to more than " + std::to_string(max_values));
      continue;
    }
    merge_patch(base, found->tree);
  }
  merge_patch(base, std::move(node));
  node = std::move(base);
}

const Resolver::Preset* Resolver::preset(const Node& name, const std::string& pointer) {
  if (!name.is(Node::Type::string)) {
    report_.add(name.place, pointer, shown(name) + " is not the name of a file");
    return nullptr;
  }
  const fs::path folder = path(name.place.file).parent_path();
  const fs::path file = find(name.text, folder, options_);
  if (file.empty() || name.text.empty()) {
    report_.add(name.place, pointer,
                "there is no file " + shown(name) + " in " + (folder.empty() ? "." : spelt(folder)) +
                    similar_file(name.text, folder, options_));
    return nullptr;
  }
  const fs::path key = spelt(file);
  if (std::ranges::find(open_, key) != open_.end()) {
    std::string way;
    for (auto it = std::ranges::find(open_, key); it != open_.end(); ++it) way += it->generic_string() + " -> ";
    report_.add(name.place, pointer, "extends itself: " + way + key.generic_string());
    return nullptr;
  }
  constexpr std::size_t longest_chain = 64;
  if (open_.size() >= longest_chain) {
    report_.add(name.place, pointer, "is the end of a chain of more than " + std::to_string(longest_chain) + " files");
    return nullptr;
  }
  if (const auto known = presets_.find(key); known != presets_.end())
    return known->second.values > 0 ? &known->second : nullptr;
  constexpr std::size_t most_files = 64;
  if (presets_.size() >= most_files) {
    report_.add(name.place, pointer,
                "is one file more than the " + std::to_string(most_files) + " that a scenario may be made of");
    return nullptr;
  }
  Preset& out = presets_[key];
  const auto text = options_.files.read(file);
  if (!text) {
    report_.add(name.place, pointer, key.generic_string() + " " + text.error());
  } else if (Node tree; resolve(*text, file, tree)) {
    // The description of a preset does not describe the file that extends it.
    std::erase_if(tree.members,
                  [](const Member& m) { return m.key == "$schema" || m.key == "description" || m.key == "source"; });
    out = {std::move(tree), 0};
    out.values = count(out.tree);
    return &out;
  }
  return nullptr;
}

}  // namespace peerpath::scenario
