#include "validation/agent/traffic.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "peerpath/base/nearest.hpp"

namespace peerpath::agent {
namespace {

using Json = nlohmann::json;

template <class Enum>
struct Name {
  std::string_view text;
  Enum value;
};
constexpr std::array<Name<Role>, 2> names(Role) { return {{{"sink", Role::sink}, {"source", Role::source}}}; }
constexpr std::array<Name<Api>, 4> names(Api) {
  return {{{"socket", Api::socket}, {"devmem", Api::devmem}, {"zcrx", Api::zcrx}, {"verbs", Api::verbs}}};
}
constexpr std::array<Name<RdmaOperation>, 3> names(RdmaOperation) {
  return {{{"write", RdmaOperation::write}, {"read", RdmaOperation::read}, {"send", RdmaOperation::send}}};
}
constexpr std::array<Name<Provider>, 6> names(Provider) {
  return {{{"host", Provider::host},
           {"udmabuf", Provider::udmabuf},
           {"virtio_gpu", Provider::virtio_gpu},
           {"p2pdma", Provider::p2pdma},
           {"cuda", Provider::cuda},
           {"hip", Provider::hip}}};
}
template <class Enum>
std::string_view text_of(Enum value) {
  for (const auto& name : names(value)) {
    if (name.value == value) return name.text;
  }
  return "";
}

/// Takes members out of an object, and notes what is wrong.
class Reader {
 public:
  Reader(const Json& object, std::string& problems) : object_{object}, problems_{problems} {}

  template <class T>
  void number(const char* key, T& value, std::int64_t least, std::int64_t most) {
    if (const auto* member = take(key)) {
      if (!member->is_number_integer() || *member < least || *member > most) {
        return note(std::string{key} + " is not a whole number from " + std::to_string(least) + " to " +
                    std::to_string(most));
      }
      value = member->get<T>();
    }
  }
  void text(const char* key, std::string& value) {
    if (const auto* member = take(key)) {
      if (!member->is_string()) return note(std::string{key} + " is not a text");
      value = member->get<std::string>();
    }
  }
  void flag(const char* key, bool& value) {
    if (const auto* member = take(key)) {
      if (!member->is_boolean()) return note(std::string{key} + " is neither true nor false");
      value = member->get<bool>();
    }
  }
  template <class Enum>
  void choice(const char* key, Enum& value) {
    std::string word;
    text(key, word);
    if (word.empty()) return;
    std::vector<std::string_view> all;
    for (const auto& name : names(value)) {
      if (name.text == word) {
        value = name.value;
        return;
      }
      all.push_back(name.text);
    }
    std::string known;
    for (const auto name : all) known += (known.empty() ? "" : ", ") + std::string{name};
    note(std::string{key} + " is " + known + ", not '" + word + "'");
  }
  const Json* take(const char* key) {
    known_.emplace_back(key);
    return object_.contains(key) ? &object_.at(key) : nullptr;
  }
  void no_others() {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      const auto near = nearest(key, known_);
      note("unknown '" + key + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
  }
  void note(const std::string& problem) { problems_ += (problems_.empty() ? "" : "; ") + problem; }

 private:
  const Json& object_;
  std::string& problems_;
  std::vector<std::string_view> known_;
};

void check(const Traffic& traffic, Reader& reader) {
  if (traffic.address.empty()) reader.note("address is missing");
  const bool needs_queue = traffic.api == Api::devmem || traffic.api == Api::zcrx;
  if (needs_queue && traffic.interface.empty()) reader.note("interface is missing");
  if (traffic.api == Api::verbs && traffic.bytes > traffic.memory.bytes)
    reader.note("verbs needs memory for the whole stream: memory.bytes is less than bytes");
  if (traffic.api == Api::zcrx && traffic.role == Role::source) reader.note("zcrx only receives");
  if (traffic.api == Api::devmem && traffic.memory.provider == Provider::host) {
    reader.note("devmem needs memory that a driver exports: udmabuf, virtio_gpu, p2pdma, cuda or hip");
  }
  if (traffic.api == Api::socket && traffic.memory.provider != Provider::host) {
    reader.note("plain sockets take memory from host only");
  }
}

void read(Reader reader, Memory& memory) {
  reader.choice("provider", memory.provider);
  reader.text("path", memory.path);
  reader.number("bytes", memory.bytes, 4096, 1LL << 40U);
  reader.no_others();
  if (memory.bytes % 4096 != 0) reader.note("memory.bytes is not a multiple of 4096");
}

}  // namespace

Expected<Traffic> read_traffic(const std::string& json) {
  const auto document = Json::parse(json, nullptr, false);
  if (!document.is_object()) return tl::unexpected{Failure{"the traffic is not a JSON object"}};
  Traffic traffic;
  std::string problems;
  Reader reader{document, problems};
  reader.choice("role", traffic.role);
  reader.choice("api", traffic.api);
  reader.text("interface", traffic.interface);
  reader.text("device", traffic.device);
  reader.number("queue", traffic.queue, 0, 4095);
  reader.choice("operation", traffic.operation);
  reader.flag("configure", traffic.configure);
  reader.text("address", traffic.address);
  reader.number("port", traffic.port, 1, 65535);
  reader.number("bytes", traffic.bytes, 1, 1LL << 50U);
  reader.number("seed", traffic.seed, 0, INT64_MAX);
  reader.number("send_size", traffic.send_size, 1, 1LL << 30U);
  reader.number("mss", traffic.mss, 0, 65535);
  reader.number("timeout_s", traffic.timeout_s, 1, 86400);
  if (const auto* memory = reader.take("memory")) {
    if (memory->is_object()) {
      read({*memory, problems}, traffic.memory);
    } else {
      reader.note("memory is not an object");
    }
  }
  reader.no_others();
  check(traffic, reader);
  if (!problems.empty()) return tl::unexpected{Failure{problems}};
  return traffic;
}

Expected<Memory> read_memory(const std::string& json) {
  const auto document = Json::parse(json, nullptr, false);
  if (!document.is_object()) return tl::unexpected{Failure{"the memory is not a JSON object"}};
  Memory memory;
  std::string problems;
  read({document, problems}, memory);
  if (!problems.empty()) return tl::unexpected{Failure{problems}};
  return memory;
}

std::string name_of(Provider provider) { return std::string{text_of(provider)}; }

std::string report_json(const Traffic& traffic, const Expected<Outcome>& outcome) {
  nlohmann::ordered_json out;
  out["role"] = text_of(traffic.role);
  out["api"] = text_of(traffic.api);
  if (traffic.api == Api::verbs) out["operation"] = text_of(traffic.operation);
  out["memory"] = text_of(traffic.memory.provider);
  if (outcome) {
    out["bytes"] = outcome->bytes;
    out["validated_bytes"] = outcome->validated;
    out["first_wrong_byte"] = outcome->first_wrong;
    out["fragments"] = outcome->fragments;
    out["copied_bytes"] = outcome->copied;
    out["retransmitted_bytes"] = outcome->retransmitted;
    out["seconds"] = outcome->seconds;
    if (outcome->first_wrong >= 0) {
      out["problem"] = "data differs";
    } else if (outcome->bytes != traffic.bytes) {
      out["problem"] = "the stream ended early";
    }
  } else {
    out["problem"] = outcome.error().what;
    out["unsupported"] = outcome.error().unsupported;
  }
  return out.dump();
}

}  // namespace peerpath::agent
