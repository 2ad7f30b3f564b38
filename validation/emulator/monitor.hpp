// Commands to a running QEMU, by its control channel (QMP, docs/interop/qmp-spec.rst of QEMU).
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace peerpath::emulator {

class Monitor {
 public:
  /// `socket`: where QEMU listens.
  explicit Monitor(std::string socket) : path_{std::move(socket)} {}
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

  /// Sends one command, as JSON, and returns what came back as JSON, or a sentence. Connects with the first.
  tl::expected<std::string, std::string> run(const std::string& command);

 private:
  tl::expected<std::string, std::string> exchange(const std::string& command);
  tl::expected<std::string, std::string> line();
  bool connect();

  std::string path_;
  int socket_ = -1;
  std::string rest_;
};

}  // namespace peerpath::emulator
