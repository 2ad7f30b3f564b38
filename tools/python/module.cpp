// The extension peerpath._core; the package around it (peerpath/) is what users see.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "tools/python/core.hpp"
#include "tools/report/page.hpp"

namespace peerpath::python {
namespace {

namespace py = pybind11;

/// Raises peerpath.ScenarioError with every problem.
[[noreturn]] void raise(const Problems& problems) {
  py::list rows;
  for (const auto& p : problems) rows.append(py::make_tuple(p.file, p.line, p.column, p.key, p.message, to_string(p)));
  const auto type = py::module_::import("peerpath._errors").attr("ScenarioError");
  PyErr_SetObject(type.ptr(), type(rows).ptr());
  throw py::error_already_set{};
}

/// Whether somebody has pressed Ctrl-C; Python's error is set then.
bool signalled() {
  const py::gil_scoped_acquire python;
  return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
}

py::dict run_scenario(const std::string& name, const std::optional<std::string>& text,
                      const std::vector<std::string>& overrides, const std::vector<std::string>& folders,
                      const std::string& series_folder) {
  tl::expected<RunOutput, Problems> output;
  {
    const py::gil_scoped_release others_run;
    output = run({name, text, overrides, folders}, series_folder, signalled);
  }
  if (PyErr_Occurred() != nullptr) throw py::error_already_set{};
  if (!output) raise(output.error());
  py::dict answer;
  answer["results"] = output->results;
  answer["series"] = output->series;
  answer["passed"] = output->passed;
  answer["seconds"] = output->seconds;
  return answer;
}

py::dict sweep_scenario(const std::string& name, const std::optional<std::string>& text,
                        const std::vector<std::string>& overrides, const std::vector<std::string>& folders,
                        const std::vector<std::string>& vary, const std::vector<std::string>& variants, int jobs,
                        const py::object& progress) {
  const auto tick = [&progress](std::size_t done, std::size_t points) {
    const py::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) return true;
    if (progress.is_none()) return false;
    try {
      progress(done, points);
    } catch (py::error_already_set& error) {
      error.restore();
      return true;
    }
    return false;
  };
  tl::expected<SweepOutput, Problems> output;
  {
    const py::gil_scoped_release others_run;
    output = sweep({name, text, overrides, folders}, {vary, variants, jobs}, tick);
  }
  if (PyErr_Occurred() != nullptr) throw py::error_already_set{};
  if (!output) raise(output.error());
  py::dict metrics;
  for (const auto& [metric, column] : output->metrics)
    metrics[py::str(metric)] = py::array_t<double>(static_cast<py::ssize_t>(column.size()), column.data());
  py::dict answer;
  answer["shape"] = output->shape;
  answer["keys"] = output->keys;
  answer["values"] = output->values;
  answer["metrics"] = metrics;
  answer["status"] = output->status;
  answer["bottleneck"] = output->bottleneck;
  answer["message"] = output->message;
  return answer;
}

std::string report_page(const std::string& results, const std::string& run, const std::string& series) {
  const auto parsed = [](const std::string& text) { return report::Json::parse(text, nullptr, false); };
  return report::page(parsed(results), parsed(run),
                      {.series = series.empty() ? report::Json(nullptr) : parsed(series)});
}

}  // namespace
}  // namespace peerpath::python

PYBIND11_MODULE(_core, module) {
  using namespace peerpath::python;
  module.doc() = "The models behind the package peerpath";
  module.attr("version") = PEERPATH_VERSION;
  module.def("run", &run_scenario);
  module.def("sweep", &sweep_scenario);
  module.def("report_page", &report_page);
}
