#include "scenario/merge.hpp"

#include <string_view>
#include <unordered_map>

namespace peerpath::scenario {

void merge_patch(Node& target, Node patch) {
  if (!patch.is(Node::Type::object)) {
    target = std::move(patch);
    return;
  }
  if (!target.is(Node::Type::object)) target = Node{};
  target.type = Node::Type::object;
  target.place = patch.place;
  std::unordered_map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < target.members.size(); ++i) at.emplace(target.members[i].key, i);
  bool removed = false;
  for (Member& member : patch.members) {
    const auto found = at.find(member.key);
    if (member.value.is(Node::Type::null)) {
      if (found != at.end()) target.members[found->second].value = std::move(member.value);
      removed = true;
    } else if (found != at.end()) {
      target.members[found->second].place = member.place;
      merge_patch(target.members[found->second].value, std::move(member.value));
    } else {
      at.emplace(member.key, target.members.size());
      target.members.push_back({std::move(member.key), member.place, Node{}});
      merge_patch(target.members.back().value, std::move(member.value));
    }
  }
  if (removed) std::erase_if(target.members, [](const Member& m) { return m.value.is(Node::Type::null); });
}

}  // namespace peerpath::scenario
