// Where words go: data to standard output, talk to standard error, colour only where a person looks.
#pragma once

#include <string>
#include <string_view>

#include "peerpath/base/problem.hpp"
#include "study/text/painter.hpp"

namespace peerpath::cli {

class Terminal : public study::Painter {
 public:
  /// Looks at the two streams, NO_COLOR and TERM.
  Terminal();

  /// To standard output: to a file or pipe as it is, to a terminal with foreign control characters spelt out.
  void data(std::string_view text) const;
  void say(std::string_view sentence) const;  ///< to standard error, unless quiet; control characters spelt out
  void warn(std::string_view sentence) const;
  /// One line each; returns how many.
  int report(const Problems& problems) const;
  void error(std::string_view sentence) const;

  void set_quiet(bool quiet) { quiet_ = quiet; }
  bool quiet() const { return quiet_; }
  /// A person looks at standard error, so a progress line makes sense.
  bool progress() const { return error_is_terminal_ && !quiet_; }

  /// `text` in a colour, if standard output takes colours.
  std::string paint(Paint paint, std::string_view text) const override { return painted(paint, text, colour_out_); }

 private:
  static std::string painted(Paint paint, std::string_view text, bool colour);

  bool out_is_terminal_ = false;
  bool error_is_terminal_ = false;
  bool colour_out_ = false;
  bool colour_error_ = false;
  bool quiet_ = false;
};

}  // namespace peerpath::cli
