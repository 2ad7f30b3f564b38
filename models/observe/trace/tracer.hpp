// Gathers what happens in a run, in order, and hands it to the files of a trace.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "observe/trace/formats.hpp"
#include "observe/trace/tags.hpp"
#include "observe/trace/tap.hpp"
#include "peerpath/base/part_file.hpp"
#include "peerpath/base/problem.hpp"
#include "peerpath/device/place.hpp"
#include "peerpath/fabric/tlp_listener.hpp"

namespace peerpath::trace {

/// What a trace is to hold.
struct Request {
  std::vector<const Format*> formats;
  std::vector<std::string>
      links;  ///< names or patterns such as gpu*-sw0; none: all links but those inside a root complex
  Window window;
  std::string program;
  Instant end{};             ///< of the run
  bool picoseconds = false;  ///< Subject::picoseconds
};

/// Whether `pattern`, in which * stands for any text, matches all of `name`.
bool matches(std::string_view pattern, std::string_view name);

/// A trace of one run: pass it as `RunOptions::trace`, `built` to `RunOptions::built`, `guide` to `RunOptions::guide`.
class Tracer final : public fabric::TlpListener {
 public:
  /// Writes files into the folder, which has to be there.
  Tracer(Request request, std::filesystem::path folder);
  ~Tracer() override;

  /// Opens the files. Problems: patterns of links that match none, files that cannot be written.
  Problems built(const observe::Scene& scene);
  device::Endpoint& guide(device::Endpoint& device, const device::Place& place);

  void see(const fabric::TlpRecord& tlp, const fabric::Transaction& asked) override;
  void reached(Instant horizon) override;

  /// For who knows by itself what `Tags` works out, and has no devices to tap: TLPs and frames in the order of time.
  void show(Tlp tlp);
  void show(const Frame& frame);

  struct Written {
    std::filesystem::path written;  ///< the file, under a name of this process: whoever keeps it calls it `name`
    std::string name;
    std::string what;   ///< "1234 packets"
    bool whole = true;  ///< false: the disk is full, or the file cannot be written
  };
  /// Ends the files. Those that nobody keeps are removed with the tracer.
  std::vector<Written> finish();

 private:
  struct File {
    PartFile part;
    std::string name;
    std::unique_ptr<std::ofstream> out;
    std::unique_ptr<Sink> sink;
  };

  void pass_on(Instant until);

  Request request_;
  std::filesystem::path folder_;
  std::vector<std::unique_ptr<Tap>> taps_;
  std::optional<observe::Scene> scene_;
  std::optional<Subject> subject_;
  std::optional<Tags> tags_;
  std::vector<File> files_;
  std::vector<Seen> seen_;  ///< of devices, not yet passed on
};

}  // namespace peerpath::trace
