#include "scenario/network/execution_trace/chakra.hpp"

#include <chakra.pb.h>

#include <limits>
#include <optional>

#include "peerpath/base/problem.hpp"

namespace peerpath::network_scenario {
namespace {

constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

/// The messages of a file, one behind the other.
class Messages {
 public:
  explicit Messages(std::string_view bytes) : bytes_{bytes} {}
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t at() const { return at_; }

  /// The next one; nothing if the file ends within it, or its length is none.
  std::optional<std::string_view> next() {
    std::uint64_t length = 0;
    for (int shift = 0;; shift += 7) {
      if (at_ == bytes_.size() || shift > 28) return std::nullopt;
      const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
      length |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    if (length > bytes_.size() - at_) return std::nullopt;
    at_ += length;
    return bytes_.substr(at_ - length, length);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

template <class Message>
bool parse(std::string_view bytes, Message& message) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

/// The value if it is a whole number that fits.
std::optional<std::int64_t> whole_number(const chakra::Attribute& a) {
  const auto checked = [](std::uint64_t value) {
    return value <= largest ? std::optional{static_cast<std::int64_t>(value)} : std::nullopt;
  };
  switch (a.value_case()) {
    case chakra::Attribute::kInt32Value:
      return a.int32_value();
    case chakra::Attribute::kInt64Value:
      return a.int64_value();
    case chakra::Attribute::kUint32Value:
      return a.uint32_value();
    case chakra::Attribute::kUint64Value:
      return checked(a.uint64_value());
    case chakra::Attribute::kSint32Value:
      return a.sint32_value();
    case chakra::Attribute::kSint64Value:
      return a.sint64_value();
    case chakra::Attribute::kFixed32Value:
      return a.fixed32_value();
    case chakra::Attribute::kFixed64Value:
      return checked(a.fixed64_value());
    case chakra::Attribute::kSfixed32Value:
      return a.sfixed32_value();
    case chakra::Attribute::kSfixed64Value:
      return a.sfixed64_value();
    case chakra::Attribute::kBoolValue:
      return a.bool_value() ? 1 : 0;
    default:
      return std::nullopt;
  }
}

/// One attribute, if it is one that matters; what is wrong with it, or "".
std::string take(const chakra::Attribute& a, ExecutionNode& node) {
  if (a.name() == "pg_name") {
    const auto number = whole_number(a);
    node.pg_name = number ? std::to_string(*number) : printable(a.text_value());
    return "";
  }
  std::int64_t comm_type = 0, is_cpu_op = node.is_cpu_op ? 1 : 0;
  const std::array<std::pair<std::string_view, std::int64_t*>, 7> known{{{"is_cpu_op", &is_cpu_op},
                                                                         {"comm_type", &comm_type},
                                                                         {"comm_size", &node.comm_size},
                                                                         {"comm_src", &node.comm_src},
                                                                         {"comm_dst", &node.comm_dst},
                                                                         {"comm_tag", &node.comm_tag},
                                                                         {"root_rank", &node.root_rank}}};
  for (const auto& [name, value] : known) {
    if (a.name() != name) continue;
    const auto number = whole_number(a);
    if (!number) return std::string{name} + " is no whole number below 2^63";
    *value = *number;
    if (name == "is_cpu_op") node.is_cpu_op = *number != 0;
    if (name != "comm_type") continue;
    if (*number < 0 || *number >= static_cast<std::int64_t>(enum_names(CommType{}).size()))
      return "comm_type " + std::to_string(*number) + " is none of the schema";
    node.comm_type = static_cast<CommType>(*number);
  }
  return "";
}

/// What is wrong with it, or "".
std::string take(const chakra::Node& in, ExecutionNode& node) {
  node.name = printable(in.name());
  if (in.id() > largest) return "its id is above 2^63";
  node.id = static_cast<std::int64_t>(in.id());
  if (in.type() >= enum_names(NodeType{}).size()) return "type " + std::to_string(in.type()) + " is none of the schema";
  node.type = static_cast<NodeType>(in.type());
  if (in.duration_micros() > largest) return "duration_micros is above 2^63";
  node.duration_micros = static_cast<std::int64_t>(in.duration_micros());
  for (const auto id : in.control_dependencies()) node.ctrl_deps.push_back(static_cast<std::int64_t>(id & largest));
  for (const auto id : in.data_dependencies()) node.data_deps.push_back(static_cast<std::int64_t>(id & largest));
  for (const auto& attribute : in.attributes())
    if (auto wrong = take(attribute, node); !wrong.empty()) return wrong;
  return "";
}

}  // namespace

tl::expected<RankTrace, Problems> read_chakra(std::string_view bytes, const std::string& file) {
  RankTrace trace{.file = file, .nodes = {}};
  const auto wrong = [&](const std::string& key, const std::string& what) {
    return tl::unexpected{Problems{{file, 0, 0, key, what}}};
  };
  Messages messages{bytes};
  const auto first = messages.next();
  chakra::Metadata metadata;
  if (!first || !parse(*first, metadata))
    return wrong("", "is no Chakra execution trace: it does not begin with metadata behind their length");
  while (!messages.at_end()) {
    const auto at = messages.at();
    const auto key = "node number " + std::to_string(trace.nodes.size() + 1);
    const auto message = messages.next();
    if (!message)
      return wrong(key, "the file ends within it (it begins at byte " + std::to_string(at) + " of " +
                            std::to_string(bytes.size()) + "): truncated?");
    chakra::Node node;
    if (!parse(*message, node)) return wrong(key, "at byte " + std::to_string(at) + " is no node of the schema");
    if (auto what = take(node, trace.nodes.emplace_back()); !what.empty())
      return wrong("node " + std::to_string(node.id()), what);
  }
  return trace;
}

}  // namespace peerpath::network_scenario
