// Which keys of traffic mean something for which of its kinds.
#pragma once

#include <string>
#include <string_view>

#include "peerpath/scenario/scenario.hpp"

namespace peerpath::scenario {

/// The keys that an entry of any kind has, separated by spaces.
constexpr std::string_view common_keys(const Traffic&) {
  return "name kind from to path rate sizes flows arrival burst";
}

/// The keys that an entry of a kind has beside those.
constexpr std::string_view keys_of(TrafficKind kind) {
  switch (kind) {
    case TrafficKind::receive:
      return "headers_to bytes capture time_scale registered sender";
    case TrafficKind::transmit:
      return "headers_to registered";
    case TrafficKind::write:
    case TrafficKind::read:
      return "window traffic_class";
  }
  return "";
}

/// The keys of a receive entry that its sender gives, if it has one.
constexpr std::string_view keys_of_sender = "rate sizes flows arrival burst time_scale";

/// Whether `word` is one of `words`.
constexpr bool is_word_of(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1))
    if ((at == 0 || words[at - 1] == ' ') && (at + word.size() == words.size() || words[at + word.size()] == ' '))
      return true;
  return false;
}

/// Whether `key` means something for an entry of this kind.
template <class Entry, class Kind>
constexpr bool has_key(Kind kind, std::string_view key) {
  return is_word_of(common_keys(Entry{}), key) || is_word_of(keys_of(kind), key);
}

/// Whether another entry gives what this one has under `key`.
template <class Entry>
constexpr bool is_of_sender(const Entry& entry, std::string_view key) {
  if constexpr (requires { entry.sender; })
    return entry.sender && entry.kind == TrafficKind::receive && is_word_of(keys_of_sender, key);
  else
    return false;
}

/// Whether `key` says something in this object: of entries that have kinds, keys of other kinds do not.
template <class Entry>
constexpr bool has_meaning(const Entry& entry, std::string_view key) {
  if (is_of_sender(entry, key)) return false;
  if constexpr (requires { common_keys(entry); })
    return has_key<Entry>(entry.kind, key);
  else
    return true;
}

/// Calls `wrong(key, sentence)` with each key that says something and means nothing for the kind of the entry: it shows
/// a misunderstanding. `what`: "an event", "traffic".
template <class Entry, class Wrong>
void for_each_foreign_key(const Entry& entry, std::string_view what, Wrong wrong) {
  const Entry standard{};
  const auto check = [&](const auto& field) {
    if (has_key<Entry>(entry.kind, field.name) || entry.*field.member == standard.*field.member) return;
    std::string kinds;
    for (const auto& kind : enum_names(entry.kind))
      if (has_key<Entry>(kind.value, field.name)) kinds += (kinds.empty() ? "" : ", ") + std::string{kind.name};
    std::string uses{common_keys(entry)};
    if (const auto own = keys_of(entry.kind); !own.empty()) uses += " " + std::string{own};
    wrong(field.name, "says nothing about " + std::string{what} + " of kind \"" + std::string{name_of(entry.kind)} +
                          "\", which has " + uses + "; it is of " + kinds);
  };
  std::apply([&](const auto&... fields) { (check(fields), ...); }, Entry::fields());
}

}  // namespace peerpath::scenario
