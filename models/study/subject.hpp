// A scenario of any kind, read and checked: what commands ask of it. The kinds are in load.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "peerpath/scenario/describe.hpp"
#include "peerpath/scenario/load.hpp"
#include "scenario/write.hpp"
#include "study/outcome.hpp"
#include "study/run_request.hpp"

namespace peerpath::study {

class Subject {
 public:
  virtual ~Subject() = default;

  virtual std::string_view kind() const = 0;  ///< "PCIe", "network": as options and messages call it
  virtual const std::string& name() const = 0;
  virtual const std::string& description() const = 0;
  virtual const std::filesystem::path& file() const = 0;  ///< that was read
  virtual const std::map<std::string, scenario::Origin>& origins() const = 0;
  virtual const scenario::Sweep& sweep() const = 0;  ///< its own `sweep`

  virtual nlohmann::ordered_json written() const = 0;  ///< resolved
  virtual scenario::Absent absent() const = 0;         ///< options that it leaves out, with the meaning of that
  virtual std::string contents() const = 0;            ///< "3 devices, 2 links, ..."
  virtual Problems warnings() const = 0;
  virtual bool has_traffic() const = 0;
  virtual std::vector<scenario::Entry> metrics() const = 0;  ///< that a run will have
  virtual std::optional<std::string> graph() const = 0;      ///< for Graphviz; nothing if this kind has none

  virtual Instant end() const = 0;  ///< of a run at the latest
  virtual bool can_trace(const trace::Format& format) const = 0;
  virtual bool runs_on_ranks() const = 0;                           ///< several processes can run it together
  virtual std::vector<std::filesystem::path> captures() const = 0;  ///< files that only a run reads
  virtual std::string quantum() const = 0;                          ///< of the fabric's batches; "" without a fabric

  /// Runs it in this thread and judges it; problems are without their places.
  virtual tl::expected<OutcomePtr, Problems> run(const RunRequest& request) const = 0;
  /// The scenario of a PCIe host, for backends that run no other kind; or nullptr.
  virtual const scenario::Loaded* host() const { return nullptr; }
};

using SubjectPtr = std::shared_ptr<const Subject>;

}  // namespace peerpath::study
