#include "tools/peerpath/catalogue.hpp"

#include <array>

namespace peerpath::cli {
namespace {

constexpr Option set{"--set", "KEY=VALUE", "Override a value: devices.nic0.queues=8; may be repeated", Word::text,
                     true};
constexpr Option json{"--json", "", "One JSON document on standard output instead of text"};
constexpr Option quiet{"--quiet", "", "Nothing on standard error but problems"};

constexpr std::array run_options{
    Option{"--on", "BACKEND", "What runs it: model (default), emulator or hardware", Word::backend},
    Option{"--kernel", "PATH",
           "For the emulator: a bzImage with its modules, or a kernel build tree, in place of Debian's newest kernel",
           Word::file},
    set,
    Option{"--seed", "N", "Seed of all randomness; short for --set run.seed=N"},
    Option{"--quantum", "TIME", "Longest batch of the fabric: speed, never results; short for --set run.quantum=TIME"},
    Option{"--fabric", "MODE", "How the fabric computes: train (default) or event", Word::fabric},
    Option{"--loop", "NAME",
           "What drives it: systemc (default), or plain, a loop without SystemC; never changes results", Word::loop},
    Option{"--check-protocol", "",
           "Hold every TLP on every link against the protocol's rules; exit 1 if one is broken"},
    Option{"--trace", "FORMATS",
           "Write traces: pcapng (Wireshark), perfetto (timeline), vcd (GTKWave), series (curves of the report)"},
    Option{"--trace-from", "TIME", "Where the trace begins, from the start of the run; 0ns if left out"},
    Option{"--trace-for", "TIME", "How long it is; all of the run if left out"},
    Option{"--trace-scale", "UNIT",
           "What a nanosecond of a perfetto trace stands for: ns (default), or ps, which shows each TLP"},
    Option{"--trace-links", "NAMES", "Only these links, with commas between; * stands for any text: gpu*-sw0"},
    Option{"--profile", "", "Say which devices took how much of the simulation's own time"},
    Option{"--what-if", "",
           "Run it again with each suspected bottleneck and each assumed value doubled and halved, and say what that "
           "changes"},
    Option{"--jobs", "N", "Reruns at a time; as many as there are processors if left out"},
    Option{"--out", "DIR", "Folder for results.json, run.json and report.html", Word::folder},
    json,
    Option{"--report", "", "Write report.html beside --json, too"},
    Option{"--quiet", "", "Nothing but problems and failed expectations; --json still prints its document"}};
constexpr Option jobs{"--jobs", "N", "Scenarios at a time; as many as there are processors if left out"};
constexpr std::array test_options{
    jobs,
    Option{"--junit", "FILE", "Write the results there as JUnit XML", Word::file},
    Option{"--baseline", "FILE", "Hold metrics against those accepted there; exit 4 if one has drifted", Word::file},
    Option{"--accept", "", "Write this run's metrics into the baseline instead"},
    Option{"--annotate", "FOR", "github: lines that GitHub Actions shows in the files (default there), or none"},
    set,
    Option{"--quiet", "", "Only what did not pass, and the totals"}};
constexpr std::array sweep_options{
    Option{"--vary", "KEY=VALUES", "links.*.generation=4,5 or nic0.queues=1..8; several with ; between go in step",
           Word::text, true},
    Option{"--variant", "NAME:KEY=VALUE,...", "A choice of changes, such as far:links.gpu0.from=rc", Word::text, true},
    set,
    Option{"--seed", "N", "Seed of all randomness; short for --set run.seed=N"},
    Option{"--out", "FILE", "The SQLite file to write or go on with; peerpath-out/SCENARIO.sqlite if left out",
           Word::file, false, "-o"},
    Option{"--csv", "FILE", "Write all rows of the file there as CSV; - is standard output", Word::file},
    jobs,
    Option{"--shard", "I/N", "Only part I of N, for several machines; --merge joins their files"},
    Option{"--merge", "", "Join the files of shards into --out instead of running anything"},
    Option{"--retry", "", "Run again the points that failed or crashed before"},
    quiet};
constexpr std::array check_options{set, json, quiet};
constexpr std::array show_options{
    Option{"--resolved", "", "Every value, and where it comes from"},
    Option{"--dot", "", "The hardware as a graph for Graphviz: peerpath show S.json --dot | dot -Tsvg"}, set, json};
constexpr std::array list_options{json};
constexpr std::array schema_options{
    Option{"--out", "FILE", "Write it there instead of to standard output", Word::file}};
constexpr std::array report_options{
    Option{"--out", "FILE", "The page to write; DIR/report.html, or beside the sweep's file, if left out", Word::file,
           false, "-o"},
    Option{"--metric", "NAME", "Of a sweep: the metric that the page shows; goodput of all traffic, if left out",
           Word::text},
    Option{"--with", "DIR", "Lay another run over it: latencies and curves dashed, differences in a table",
           Word::folder}};
constexpr std::array route_options{set, json};
constexpr std::array compare_options{
    json, Option{"--fail-if", "RULE", "Exit 1 if the second run breaks it: 'rx.goodput_gbps drops 1%'; may be repeated",
                 Word::text, true}};
constexpr std::array doctor_options{json};
constexpr std::array import_options{
    Option{"--out", "FILE", "Write it there instead of to standard output", Word::file, false, "-o"}};
constexpr std::array measure_options{
    Option{"--out", "FILE", "The dataset to write; dataset.jsonl if left out", Word::file, false, "-o"},
    Option{"--backend", "NAME", "cuda (default) or hip"},
    Option{"--only", "NAME", "Only this experiment; may be repeated", Word::text, true},
    Option{"--kernels", "FILE", "Kernels as nvcc or hipcc made them; those built with the program if left out",
           Word::file},
    Option{"--library", "FILE", "Driver library to load in place of the system's", Word::file},
    Option{"--peer", "ADDRESS", "For the NIC: machine where `peerpath-agent --serve` runs, or ADDRESS:PORT"},
    Option{"--agent", "FILE", "peerpath-agent here, if it is not beside this program", Word::file},
    Option{"--list", "", "Print the experiments and what each isolates"},
    quiet};
constexpr std::array calibrate_options{
    Option{"--out", "FILE", "Write all parameters there, with intervals and provenance", Word::file, false, "-o"},
    Option{"--preset", "FILE", "Write the part that scenarios have keys for there, to extend", Word::file}, json,
    quiet};
constexpr std::array validate_options{
    Option{"--all", "", "pcie-bench, the datasets of our H200s and every published case, in one table"},
    Option{"--calibration", "FILE",
           "Predict a dataset with these parameters, of gpunet a proxy, instead of fitting a third of it", Word::file},
    Option{"--out", "FILE", "Write the curves of a dataset, measured and predicted, as a page", Word::file, false,
           "-o"},
    Option{"--spread", "DATASET",
           "Print how far another take of the same experiments lies from it; mixed points then count where all takes "
           "lie within 15 %",
           Word::file, true},
    Option{"--laws", "",
           "Hold the laws alone against a dataset; without it each point is played as a scenario as well"},
    Option{"--data", "DIR", "A directory of published results, or a folder of them", Word::folder},
    Option{"--host", "NAME", "Only hosts whose directory name contains it"},
    Option{"--leave-one-out", "", "Predict each host by what the other machines say, beside the fit in sample"},
    Option{"--cache", "SIZE", "Last-level cache of hosts whose directory does not say it: 25MiB"},
    Option{"--cache-ways", "N", "Its ways; 20 otherwise"},
    Option{"--refit-card", "", "Fit the card's constants again and print them as a preset"},
    Option{"--without", "NAME", "Fit it without the machines whose name contains this"},
    json,
    quiet};

constexpr std::array emulate_options{
    Option{"--shell", "", "Sit at the guest's console"},
    Option{"--job", "FILE", "Run a shell script in the guest and print what it reports", Word::file},
    Option{"--kernel", "PATH",
           "For the emulator: a bzImage with its modules, or a kernel build tree, in place of Debian's newest kernel",
           Word::file},
    Option{"--disk", "FILE", "A disk for the guest, /dev/vda; changes are not kept", Word::file},
    Option{"--out", "DIR", "Folder for what the guest said", Word::folder},
    set,
    quiet};

constexpr Positional one_scenario{"SCENARIO", "File, or name below scenarios/ such as netgpu/zero_copy", Word::scenario,
                                  1, 1};
constexpr Positional scenarios{"SCENARIO", "Files or names of scenarios", Word::scenario, 1, any_number};

// A new subcommand is a file, a declaration in catalogue.hpp, and one line here.
constexpr std::array commands{
    Command{"run", "Run a scenario and print what came out", one_scenario, run_options, run},
    Command{"check", "Read scenarios and report every problem", scenarios, check_options, check},
    Command{"sweep",
            "Run a scenario at many points and keep the results of each in one file",
            {"SCENARIO", "File or name of a scenario; with --merge the files of shards", Word::scenario, 1, any_number},
            sweep_options,
            sweep},
    Command{"test",
            "Run many scenarios and say which keep their expectations",
            {"PATH", "Folders, files or names of scenarios", Word::scenario, 1, any_number},
            test_options,
            test},
    Command{"show", "Print a scenario with presets, extends and --set applied", one_scenario, show_options, show},
    Command{
        "list",
        "List what there is",
        {"WHAT", "scenarios, presets, devices, sections, backends or metrics; then a scenario", Word::listing, 0, 2},
        list_options,
        list},
    Command{"explain",
            "Say what a key of a scenario or a metric means",
            {"KEY", "nic, nic.queues, link.width, run, rx.goodput_gbps ...", Word::topic, 1, 1},
            {},
            explain},
    Command{"route",
            "Say which way TLPs go between two devices, what redirects them, and what Linux's p2pdma decides",
            {"SCENARIO", "Scenario, then the device that asks and the one that it reaches: nic0 gpu0", Word::scenario,
             3, 3},
            route_options,
            route},
    Command{"schema", "Print the JSON Schema of scenarios, for editors", {}, schema_options, schema},
    Command{"emulate", "Boot a scenario's machine in the emulator for work of your own", one_scenario, emulate_options,
            emulate},
    Command{"report",
            "Write the HTML report of a finished run, or of a sweep",
            {"DIR", "Folder with results.json, or the SQLite file of a sweep", Word::folder, 1, 1},
            report_options,
            report},
    Command{"compare",
            "Hold two runs against each other: goodput, latency, loss, crossings and use, with a verdict each; of runs "
            "whose traffic has `bytes` the ledgers, where exit 1 says that they differ",
            {"RUN", "Two folders with results.json, or two such files", Word::folder, 2, 2},
            compare_options,
            compare},
    Command{"import",
            "Make a scenario's devices and links from what a machine says of itself",
            {"FILE", "Output of lspci -vvv or of nvidia-smi topo -m, or NCCL's topology (NCCL_TOPO_DUMP_FILE)",
             Word::file, 1, 1},
            import_options,
            import},
    Command{"measure", "Measure what the GPUs and the NIC of this machine do over PCIe", {}, measure_options, measure},
    Command{"calibrate",
            "Fit the model's parameters to a third of a dataset of `peerpath measure`",
            {"DATASET", "File that `peerpath measure` wrote", Word::file, 1, 1},
            calibrate_options,
            calibrate},
    Command{"validate",
            "Hold the model against measurements",
            {"WHAT", "pcie-bench, or a dataset of `peerpath measure`", Word::file, 0, 1},
            validate_options,
            validate},
    Command{"doctor", "Say what this machine can do and what is missing", {}, doctor_options, doctor},
    Command{
        "completion", "Print a completion script", {"SHELL", "bash, zsh or fish", Word::shell, 1, 1}, {}, completion},
    Command{"manual", "Print the manual page, for man: peerpath manual | man -l -", {}, {}, manual},
};

}  // namespace

std::span<const Command> catalogue() { return commands; }

}  // namespace peerpath::cli
