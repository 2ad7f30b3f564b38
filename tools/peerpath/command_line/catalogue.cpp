#include "tools/peerpath/command_line/catalogue.hpp"

#include <array>

#include "observe/trace/formats.hpp"
#include "tools/peerpath/run/backends.hpp"

namespace peerpath::cli {
namespace {

constexpr Option set{"--set", "KEY=VALUE", "Override a value: devices.nic0.queues=8; may be repeated", Word::text,
                     true};
constexpr Option seed{"--seed", "N",       "Seed of every random stream; short for --set run.seed=N", Word::text, false,
                      "",       "run.seed"};
constexpr Option json{"--json", "", "One JSON document on standard output instead of text"};
constexpr Option quiet{"--quiet", "", "Print only problems on standard error"};

using Words = std::vector<std::string_view>;
template <std::size_t count>
using Names = std::array<std::string_view, count>;

constexpr Names<1> the_model{"model"}, the_emulator{"emulator"};
constexpr Names<2> model_or_emulator{"model", "emulator"};
constexpr Names<1> pcie{"a PCIe scenario"}, pcie_bench{"pcie-bench"}, all_sets{"--all"};
constexpr Names<2> gpus{"a dataset", "a dataset of GPUs"};
constexpr Names<3> dataset{"a dataset of GPUs", "a gpunet dataset", "a dataset"};
constexpr std::span<const std::string_view> any{};

/// An option for some subjects or backends alone.
constexpr Option only(std::span<const std::string_view> subjects, std::span<const std::string_view> backends,
                      Option option) {
  option.only = {subjects, backends};
  return option;
}

/// An option whose value is one of these.
constexpr Option one_of(Choices choices, Option option) {
  option.choices = choices;
  return option;
}

/// An option whose value is a list of some of these.
constexpr Option some_of(Choices choices, Option option) {
  option.choices = choices;
  option.list = true;
  return option;
}

template <class Range>
Words names_in(const Range& range) {
  Words names;
  for (const auto& each : range) names.push_back(each.name);
  return names;
}
Words backend_names() { return names_in(backends()); }
Words fabric_names() { return names_in(enum_names(fabric::Mode{})); }
Words loop_names() { return names_in(loops()); }
Words trace_names() { return names_in(trace::formats()); }
Words scale_names() { return {"ns", "ps"}; }
Words annotation_names() { return {"github", "none"}; }
Words vendor_names() { return {"cuda", "hip"}; }
Words shell_names() { return {"bash", "zsh", "fish"}; }
Words list_names() { return {"scenarios", "presets", "devices", "sections", "backends", "metrics"}; }

constexpr std::array run_options{
    one_of(backend_names, {"--on", "BACKEND", "Backend: model (default), emulator or hardware"}),
    only(pcie, the_emulator,
         {"--kernel", "PATH", "bzImage with its modules, or a kernel build tree, instead of Debian's newest kernel",
          Word::file}),
    set,
    seed,
    Option{"--measure", "TIME", "Measured window; short for --set run.measure=TIME", Word::text, false, "",
           "run.measure"},
    only(pcie, any,
         {"--quantum", "TIME",
          "Longest time that the fabric computes at once: affects speed, never results; short for --set "
          "run.quantum=TIME",
          Word::text, false, "", "run.quantum"}),
    only(pcie, the_model, one_of(fabric_names, {"--fabric", "MODE", "Fabric algorithm: train (default) or event"})),
    only(pcie, the_model,
         one_of(loop_names, {"--loop", "NAME",
                             "Event loop: systemc (default), or plain (without SystemC); never changes results"})),
    only(pcie, the_model,
         {"--check-protocol", "", "Check every TLP on every link for protocol violations; exit 1 if there is one"}),
    only(any, model_or_emulator,
         some_of(
             trace_names,
             {"--trace", "FORMATS",
              "Write traces: pcapng (Wireshark), perfetto (timeline), vcd (GTKWave), series (curves of the report)"})),
    Option{"--trace-from", "TIME", "Start of the trace in simulated time; default 0ns"},
    Option{"--trace-for", "TIME", "Length of the trace; default: the whole run"},
    only(pcie, the_model,
         one_of(scale_names,
                {"--trace-scale", "UNIT",
                 "Simulated time per nanosecond of a perfetto trace: ns (default), or ps to show single TLPs"})),
    Option{"--trace-links", "NAMES", "Links to trace, separated by commas; * matches any text: gpu*-sw0"},
    only(pcie, the_model, {"--profile", "", "Print the wall time spent per device"}),
    only(any, the_model,
         {"--what-if", "",
          "Rerun with each suspected bottleneck and each assumed value doubled and halved, and print the effect"}),
    Option{"--jobs", "N", "Concurrent reruns; default: number of processors"},
    Option{"--out", "DIR", "Folder for results.json, run.json and report.html", Word::folder},
    json,
    Option{"--report", "", "Also write report.html when --json is given"},
    Option{"--quiet", "", "Print only problems and failed expectations; --json still prints its document"}};
constexpr Option jobs{"--jobs", "N", "Concurrent scenarios; default: number of processors"};
constexpr std::array test_options{
    jobs,
    Option{"--junit", "FILE", "Write the results as JUnit XML", Word::file},
    Option{"--baseline", "FILE", "Compare metrics with this baseline; exit 4 if one has drifted", Word::file},
    Option{"--accept", "", "Write the metrics of this run to the baseline instead"},
    one_of(annotation_names, {"--annotate", "FOR", "Annotations: github (default in GitHub Actions) or none"}),
    set,
    Option{"--quiet", "", "Print only failures and the totals"}};
constexpr std::array sweep_options{
    Option{"--vary", "KEY=VALUES",
           "Values to sweep: links.*.generation=4,5 or nic0.queues=1..8; lists separated by ; advance together",
           Word::text, true},
    Option{"--variant", "NAME:KEY=VALUE,...", "Named set of changes, such as far:links.gpu0.from=rc", Word::text, true},
    set,
    seed,
    Option{"--out", "FILE", "SQLite file to write or resume; default peerpath-out/SCENARIO.sqlite", Word::file, false,
           "-o"},
    Option{"--csv", "FILE", "Write all rows as CSV; - is standard output", Word::file},
    Option{"--columns", "NAMES",
           "Columns of the CSV behind the parameters and the status, separated by commas; * matches any text: "
           "'rx.goodput_gbps,*.latency_p99_ns'; default: all",
           Word::text, true},
    jobs,
    Option{"--shard", "I/N", "Run part I of N, for several machines; --merge joins their files"},
    Option{"--merge", "", "Join the files of shards into --out instead of running anything"},
    Option{"--retry", "", "Rerun the points that failed or crashed"},
    quiet};
constexpr std::array check_options{set, json, quiet};
constexpr std::array show_options{
    Option{"--resolved", "", "Print every value and its origin, and the meaning of absent options"},
    only(pcie, any, {"--dot", "", "Print the hardware as a Graphviz graph: peerpath show S.json --dot | dot -Tsvg"}),
    set, json};
constexpr std::array list_options{json};
constexpr std::array schema_options{Option{"--out", "FILE", "Output file; default: standard output", Word::file}};
constexpr std::array report_options{
    Option{"--out", "FILE", "Output file; default DIR/report.html, or beside the sweep's file", Word::file, false,
           "-o"},
    Option{"--metric", "NAME", "Metric shown for a sweep; default: goodput of all traffic", Word::text},
    Option{"--with", "DIR", "Second run to overlay: dashed curves, and a table of differences", Word::folder}};
constexpr std::array route_options{set, json};
constexpr std::array compare_options{
    json,
    Option{"--fail-if", "RULE", "Exit 1 if the second run violates this: 'rx.goodput_gbps drops 1%'; may be repeated",
           Word::text, true}};
constexpr std::array doctor_options{json};
constexpr std::array import_options{
    Option{"--out", "FILE", "Output file; default: standard output", Word::file, false, "-o"}};
constexpr std::array measure_options{
    Option{"--out", "FILE", "Dataset to write; default dataset.jsonl", Word::file, false, "-o"},
    one_of(vendor_names, {"--backend", "NAME", "GPU interface: cuda (default) or hip"}),
    Option{"--only", "NAME", "Experiment to run; may be repeated; default: all", Word::text, true},
    Option{"--kernels", "FILE", "Compiled kernels of nvcc or hipcc; default: those built with the program", Word::file},
    Option{"--library", "FILE", "Driver library to load instead of the system's", Word::file},
    Option{"--peer", "ADDRESS", "NIC experiments: machine that runs `peerpath-agent --serve`, or ADDRESS:PORT"},
    Option{"--agent", "FILE", "Path of peerpath-agent; default: beside this program", Word::file},
    Option{"--list", "", "Print the experiments and the effect that each isolates"},
    quiet};
constexpr std::array calibrate_options{
    Option{"--out", "FILE", "Write all parameters with intervals and provenance", Word::file, false, "-o"},
    Option{"--preset", "FILE", "Write the parameters that scenarios can set, as a preset", Word::file}, json, quiet};
constexpr std::array validate_options{
    Option{"--all", "", "Compare the model with every set of validation/evidence.json, in one table"},
    only(all_sets, any,
         {"--whole", "",
          "Also play the points of GPU datasets and sockets as scenarios, and all windows of pcie-bench; takes "
          "minutes"}),
    only(all_sets, any, {"--only", "NAME", "Sets to use, by a part of their name", Word::text, true}),
    only(all_sets, any,
         {"--write", "",
          "With --whole: keep the results of these sets beside evidence.json, and write the tables of "
          "docs/validation.md and README.md"}),
    only(dataset, any,
         {"--calibration", "FILE",
          "Predict the dataset with these parameters (for gpunet, a proxy preset) instead of fitting a third of it",
          Word::file}),
    only(gpus, any, {"--out", "FILE", "Write measured and predicted curves as an HTML page", Word::file, false, "-o"}),
    only(gpus, any,
         {"--spread", "DATASET",
          "Second take of the same experiments: print its difference; mixed points then count only where all takes "
          "agree within 15 %",
          Word::file, true}),
    only(gpus, any,
         {"--laws", "",
          "Compare the dataset with the closed-form laws only; by default each point is also run as a scenario"}),
    only(pcie_bench, any,
         {"--data", "DIR", "Directory of published results, or a parent of such directories", Word::folder}),
    only(pcie_bench, any, {"--host", "NAME", "Hosts to use, by a part of the directory name"}),
    only(pcie_bench, any, {"--leave-one-out", "", "Also predict each host from the other machines only"}),
    only(pcie_bench, any,
         {"--cache", "SIZE", "Last-level cache size for hosts without one in their directory, such as 25MiB"}),
    only(pcie_bench, any, {"--cache-ways", "N", "Ways of that cache; default 20"}),
    only(pcie_bench, any, {"--refit-card", "", "Refit the card's constants and print them as a preset"}),
    only(pcie_bench, any, {"--without", "NAME", "Machines to exclude from that fit, by a part of the name"}),
    json,
    quiet};

constexpr std::array emulate_options{
    Option{"--shell", "", "Attach to the guest's console"},
    Option{"--job", "FILE", "Run a shell script in the guest and print its output", Word::file},
    Option{"--kernel", "PATH", "bzImage with its modules, or a kernel build tree, instead of Debian's newest kernel",
           Word::file},
    Option{"--disk", "FILE", "Disk image for the guest (/dev/vda); changes are discarded", Word::file},
    Option{"--out", "DIR", "Folder for the guest's output", Word::folder},
    set,
    quiet};

constexpr Positional one_scenario{"SCENARIO", "Scenario file, or name below scenarios/ such as netgpu/zero_copy",
                                  Word::scenario, 1, 1};
constexpr Positional scenarios{"SCENARIO", "Files or names of scenarios", Word::scenario, 1, any_number};

// A new subcommand is a file, a declaration in catalogue.hpp, and one line here.
constexpr std::array commands{
    Command{"run", "Run a scenario and print the results", one_scenario, run_options, run},
    Command{"check", "Check scenarios and report every problem", scenarios, check_options, check},
    Command{"sweep",
            "Run a scenario at many points and store the results in one file",
            {"SCENARIO", "File or name of a scenario; with --merge, the files of the shards", Word::scenario, 1,
             any_number},
            sweep_options,
            sweep},
    Command{"test",
            "Run many scenarios and check their expectations",
            {"PATH", "Folders, files or names of scenarios", Word::scenario, 1, any_number},
            test_options,
            test},
    Command{"show", "Print a scenario with presets, extends and --set resolved", one_scenario, show_options, show},
    Command{"list",
            "List scenarios, presets, devices, sections, backends or metrics",
            {"WHAT", "scenarios, presets, devices, sections, backends or metrics; for metrics, also a scenario",
             Word::text, 0, 2, list_names},
            list_options,
            list},
    Command{"explain",
            "Explain a scenario key or a metric",
            {"KEY", "nic, nic.queues, link.width, run, rx.goodput_gbps ...", Word::topic, 1, 1},
            {},
            explain},
    Command{"route",
            "Print the path of TLPs between two devices, its redirections, and the decision of Linux p2pdma",
            {"SCENARIO", "Scenario, requester and target, such as nic0 gpu0", Word::scenario, 3, 3},
            route_options,
            route},
    Command{"schema", "Print the JSON Schema of scenarios, for editors", {}, schema_options, schema},
    Command{"emulate", "Boot a scenario's machine in the emulator for interactive use or a job", one_scenario,
            emulate_options, emulate},
    Command{"report",
            "Write the HTML report of a run or a sweep",
            {"DIR", "Folder with results.json, or the SQLite file of a sweep", Word::folder, 1, 1},
            report_options,
            report},
    Command{"compare",
            "Compare two runs: goodput, latency, loss, crossings and utilisation, with a verdict each; for traffic "
            "with `bytes`, compare the ledgers and exit 1 if they differ",
            {"RUN", "Two folders with results.json, or two such files", Word::folder, 2, 2},
            compare_options,
            compare},
    Command{"import",
            "Generate devices and links from the output of tools on a machine",
            {"FILE", "Output of lspci -vvv or nvidia-smi topo -m, or NCCL's topology (NCCL_TOPO_DUMP_FILE)", Word::file,
             1, 1},
            import_options,
            import},
    Command{
        "measure", "Measure PCIe performance of the GPUs and the NIC of this machine", {}, measure_options, measure},
    Command{"calibrate",
            "Fit the model's parameters to a third of a `peerpath measure` dataset",
            {"DATASET", "Dataset written by `peerpath measure`", Word::file, 1, 1},
            calibrate_options,
            calibrate},
    Command{"validate",
            "Compare the model with measurements",
            {"WHAT", "pcie-bench, or a `peerpath measure` dataset", Word::file, 0, 1},
            validate_options,
            validate},
    Command{"doctor", "Show the features available on this machine and missing packages", {}, doctor_options, doctor},
    Command{"completion",
            "Print a completion script",
            {"SHELL", "bash, zsh or fish", Word::text, 1, 1, shell_names},
            {},
            completion},
    Command{"manual", "Print the manual page, for man: peerpath manual | man -l -", {}, {}, manual},
};

}  // namespace

std::span<const Command> catalogue() { return commands; }

}  // namespace peerpath::cli
