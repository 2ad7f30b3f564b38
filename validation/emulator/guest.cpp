#include "validation/emulator/guest.hpp"

#include <algorithm>
#include <deque>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "validation/emulator/child.hpp"
#include "validation/emulator/machine.hpp"
#include "validation/emulator/monitor.hpp"

namespace peerpath::emulator {
namespace {

using Clock = std::chrono::steady_clock;

/// What a kernel says when it is broken; it may go on, but nothing after it can be trusted. What it says of time that
/// passed without progress is not among them: the emulator may have been given no processor.
constexpr std::array<std::string_view, 7> broken{"Kernel panic",
                                                 "BUG: kernel",
                                                 "BUG: unable",
                                                 "BUG: Bad page",
                                                 "kernel BUG at",
                                                 "Oops: ",
                                                 "general protection fault"};

bool is_broken(const std::string& line) {
  return std::ranges::any_of(broken, [&](std::string_view words) { return line.find(words) != std::string::npos; });
}

/// Keeps the console's end, and all of it in a file.
class Console {
 public:
  Console(const std::filesystem::path& file, const std::function<void(const std::string&)>& show)
      : file_{file}, show_{show} {}
  void take(const std::string& line) {
    file_ << line << std::endl;
    show_(line);
    last_.push_back(line);
    if (last_.size() > 25) last_.pop_front();
  }
  std::string end() const {
    std::string text = last_.empty() ? "; its console is empty" : "; the last lines of its console:";
    for (const auto& line : last_) text += "\n  " + line;
    return text;
  }

 private:
  std::ofstream file_;
  const std::function<void(const std::string&)>& show_;
  std::deque<std::string> last_;
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Sends a scenario's events to QEMU when their time has come.
class Script {
 public:
  explicit Script(const BootOptions& options) : options_{options}, monitor_{options.monitor} {}

  /// A line of the console: the first transfer begins (step() of qemu-devices/guest/guest.sh).
  void take(const std::string& line) { transfers_ = transfers_ || line.starts_with("== transfer"); }
  /// How long until something may have to be done.
  std::chrono::milliseconds patience() const { return std::chrono::milliseconds{transfers_ && !done() ? 2 : 100}; }
  bool done() const { return next_ == options_.events.size(); }
  /// Sends what is due; a sentence if QEMU does not take it.
  std::string run() {
    if (transfers_ && !start_ && !done()) {  // the clock starts with the first payload
      const auto ledger = monitor_.run(options_.events.front().ledger);
      if (!ledger) return ledger.error();
      if (ledger->find("payload") != std::string::npos) start_ = Clock::now();
    }
    for (; start_ && !done() && Clock::now() - *start_ >= options_.events[next_].at; ++next_) {
      const auto& event = options_.events[next_];
      const auto before = monitor_.run(event.ledger);
      if (!before) return before.error();
      std::ofstream{options_.folder / ("before_event_" + std::to_string(next_) + ".json")}
          << nlohmann::json::parse(*before).get<std::string>();
      for (const auto& command : event.commands) {
        if (const auto answer = monitor_.run(command); !answer) return answer.error();
      }
    }
    return {};
  }

 private:
  const BootOptions& options_;
  Monitor monitor_;
  bool transfers_ = false;
  std::optional<Clock::time_point> start_;
  std::size_t next_ = 0;
};

/// Takes the job's lines and the last one apart; `circumstances` is said if that one is missing.
tl::expected<BootResult, std::string> read_report(const std::filesystem::path& file, const std::string& circumstances) {
  BootResult result;
  bool ended = false;
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);) {
    while (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const auto document = nlohmann::json::parse(line, nullptr, false);
    if (!document.is_object()) return tl::unexpected{"the guest's report is not JSON: " + line};
    if (!document.contains("end")) {
      result.report.push_back(line);
      continue;
    }
    ended = true;
    result.status = document.value("end", 1);
    result.tainted = document.value("tainted", 0);
  }
  if (!ended) return tl::unexpected{"the guest ended before its job did" + circumstances};
  return result;
}

}  // namespace

std::vector<std::string> command_line(const Equipment& equipment, const std::vector<std::string>& machine,
                                      const std::vector<std::string>& kernel_words) {
  std::string words = "console=ttyS0 panic=-1 quiet no_timer_check rcupdate.rcu_cpu_stall_suppress=1 nowatchdog";
  for (const auto& word : kernel_words) words += " " + word;
  std::vector<std::string> command{equipment.qemu.string(),
                                   "-L",
                                   "/usr/share/seabios",
                                   "-L",
                                   "/usr/share/qemu",
                                   "-nodefaults",
                                   "-no-user-config",
                                   "-no-reboot",
                                   "-display",
                                   "none",
                                   "-kernel",
                                   equipment.kernel.string(),
                                   "-initrd",
                                   equipment.initramfs.string(),
                                   "-append",
                                   words};
  command.insert(command.end(), machine.begin(), machine.end());
  return command;
}

tl::expected<BootResult, std::string> boot(const Equipment& equipment, const BootOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  const auto job = options.folder / "job.sh", report = options.folder / "report.jsonl";
  std::ofstream{job} << options.job;
  std::filesystem::remove(report, error);

  auto command = command_line(equipment, options.machine, options.kernel_words);
  for (const std::string& word :
       {std::string{"-serial"}, std::string{"stdio"}, std::string{"-serial"}, "file:" + report.string(),
        std::string{"-fw_cfg"}, "name=opt/org.peerpath/job,file=" + option_value(job.string())}) {
    command.push_back(word);
  }
  Console console{options.folder / "console.log", options.console};
  Child child{command, options.folder / "qemu.log"};
  const auto deadline = Clock::now() + options.timeout;
  auto give_up = deadline;
  std::string problem;
  Script script{options};
  while (!child.ended()) {
    for (const auto& line : child.lines(script.patience())) {
      console.take(line);
      script.take(line);
      if (!problem.empty() || !is_broken(line)) continue;
      problem = "the guest's kernel broke: " + line;
      give_up = std::min(deadline, Clock::now() + std::chrono::seconds{3});  // for the rest of its last words
    }
    if (const auto refused = script.run(); !refused.empty() && problem.empty()) {
      problem = "an event could not be done: " + refused;
      break;
    }
    if (options.stop()) {
      BootResult result;
      result.interrupted = true;
      return result;
    }
    if (Clock::now() < give_up) continue;
    if (problem.empty()) problem = "the guest did not end within " + std::to_string(options.timeout.count()) + " s";
    break;
  }
  if (!problem.empty()) return tl::unexpected{problem + console.end()};
  if (!script.done())
    return tl::unexpected{
        std::string{"the transfers ended before the last event; lengthen them, or move the event forward"}};
  const auto end = child.finish(std::chrono::seconds{20});  // it writes the ledger last
  const auto qemu = "(QEMU: " + end + ") " + text_of(options.folder / "qemu.log");
  if (!std::filesystem::exists(report, error)) return tl::unexpected{"QEMU did not start " + qemu};
  return read_report(report, " " + qemu + console.end());
}

}  // namespace peerpath::emulator
