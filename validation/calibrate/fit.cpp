#include "validation/calibrate/fit.hpp"

#include <algorithm>
#include <cmath>

#include <ceres/ceres.h>
#include <Eigen/Eigenvalues>

namespace peerpath::calibrate {
namespace {

/// An outlier, such as the smallest copy of a curve, counts by its distance and not by its square from here on.
constexpr double outlier = 0.04;
constexpr double unseen = 1e-4;      // slope below which the points say nothing
constexpr double widest = 0.5;       // half the interval, relative to the value
constexpr double tie = 0.999;        // of the cost: less of a gain is none
constexpr double no_gain = 1e-5;     // of the cost: a twentieth of a per cent at each point; rounding makes such
constexpr double unlimited = 2000;   // GB/s: the most that a limit of the host can be
constexpr double difference = 2e-3;  // step of the numeric derivatives, relative

using Vector = std::vector<double>;  ///< parameters, each as a multiple of where it starts

Parameters unpack(const Parameters& start, const double* x) {
  auto p = start;
  for (std::size_t i = 0; i < varied.size(); ++i) p.*varied[i].member = x[i] * (start.*varied[i].member);
  return p;
}

/// Residuals of all points for a vector of parameters.
class Residuals {
 public:
  Residuals(Model& model, std::span<const compare::Point> points, const Parameters& start)
      : model_{model}, points_{points}, start_{start} {}

  bool operator()(double const* const* x, double* residuals) const {
    const auto p = unpack(start_, x[0]);
    for (std::size_t n = 0; n < points_.size(); ++n)
      residuals[n] = std::log(*model_.predict(points_[n], p) / points_[n].median);
    return true;
  }

 private:
  Model& model_;
  std::span<const compare::Point> points_;
  Parameters start_;
};

/// Places in `varied` of what the points cannot tell at all and is not varied.
std::vector<int> held_for(std::span<const compare::Point> points) {
  const auto several = [](const compare::Point& point) {
    const auto gpus = point.settings.find("gpus");
    return gpus != point.settings.end() && gpus->second > 1;
  };
  std::vector<int> held;
  if (std::ranges::any_of(points, several)) return held;
  for (std::size_t i = 0; i < varied.size(); ++i)
    if (std::ranges::find(contention, varied[i].member) != contention.end()) held.push_back(static_cast<int>(i));
  return held;
}

/// The defaults, and the host's limits a little above what several GPUs reached: from far above there is no way down.
Parameters start_for(std::span<const compare::Point> points) {
  Parameters start;
  const std::array limits{&Parameters::host_read_rate, &Parameters::host_write_rate, &Parameters::host_both_rate};
  for (const auto limit : limits) start.*limit = unlimited;
  if (!held_for(points).empty()) return start;
  std::array<double, limits.size()> reached{};
  for (const auto& point : points)
    if (point.settings.contains("gpus")) {
      auto& most = reached[static_cast<std::size_t>(point.at("ways")) - 1];
      most = std::max(most, point.rate());
    }
  for (std::size_t n = 0; n < limits.size(); ++n)
    if (reached[n] > 0) start.*limits[n] = 1.05 * reached[n];
  return start;
}

struct Optimum {
  Parameters parameters;
  double cost = 0;
  Eigen::MatrixXd jacobian;  ///< by relative changes of the parameters, at the optimum
  Eigen::VectorXd residuals;
};

Optimum optimise(Model& model, std::span<const compare::Point> points, const Parameters& start, int iterations) {
  ceres::NumericDiffOptions steps;
  steps.relative_step_size = difference;
  ceres::DynamicNumericDiffCostFunction<Residuals, ceres::FORWARD> cost{new Residuals{model, points, start},
                                                                        ceres::TAKE_OWNERSHIP, steps};
  cost.AddParameterBlock(static_cast<int>(varied.size()));
  cost.SetNumResiduals(static_cast<int>(points.size()));
  Vector x(varied.size(), 1.0);
  const auto held = held_for(points);
  Optimum optimum;
  // Reweighted least squares: an outlier keeps its direction and loses its weight.
  struct Weighted final : ceres::CostFunction {
    const ceres::CostFunction& inner;
    explicit Weighted(const ceres::CostFunction& cost) : inner{cost} {
      set_num_residuals(cost.num_residuals());
      *mutable_parameter_block_sizes() = cost.parameter_block_sizes();
    }
    bool Evaluate(double const* const* at, double* r, double** j) const override {
      if (!inner.Evaluate(at, r, j)) return false;
      const auto columns = static_cast<std::size_t>(parameter_block_sizes().front());
      for (std::size_t n = 0; n < static_cast<std::size_t>(num_residuals()); ++n) {
        const auto size = std::abs(r[n]);
        if (size <= outlier) continue;
        const auto scaled = std::sqrt(2 * outlier * size - outlier * outlier);
        const auto slope = outlier / scaled;
        r[n] = std::copysign(scaled, r[n]);
        if (j && j[0])
          for (std::size_t c = 0; c < columns; ++c) j[0][n * columns + c] *= slope;
      }
      return true;
    }
  } weighted{cost};
  ceres::Problem::Options ownership;
  ownership.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  ceres::Problem problem{ownership};
  problem.AddResidualBlock(&weighted, nullptr, x.data());
  for (std::size_t i = 0; i < varied.size(); ++i) {
    const auto from = start.*varied[i].member;
    problem.SetParameterLowerBound(x.data(), static_cast<int>(i), varied[i].least / from);
    problem.SetParameterUpperBound(x.data(), static_cast<int>(i), varied[i].most / from);
  }
  if (!held.empty()) problem.SetManifold(x.data(), new ceres::SubsetManifold{static_cast<int>(varied.size()), held});
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.initial_trust_region_radius = 1;  // careful steps: behind a maximum of two laws there is no slope back
  options.max_num_iterations = iterations;
  options.function_tolerance = 1e-5;
  options.logging_type = ceres::SILENT;
  options.num_threads = 1;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  optimum.parameters = unpack(start, x.data());
  optimum.cost = summary.final_cost;
  const auto rows = static_cast<Eigen::Index>(points.size()), columns = static_cast<Eigen::Index>(varied.size());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> jacobian(rows, columns);
  optimum.residuals.resize(rows);
  const double* place = x.data();
  double* slopes = jacobian.data();
  weighted.Evaluate(&place, optimum.residuals.data(), &slopes);
  for (Eigen::Index i = 0; i < columns; ++i) jacobian.col(i) *= x[static_cast<std::size_t>(i)];
  for (const auto i : held) jacobian.col(i).setZero();
  optimum.jacobian = jacobian;
  return optimum;
}

/// What counts: small residuals by their square, outliers by their distance.
double cost_of(Model& model, std::span<const compare::Point> points, const Parameters& p) {
  double sum = 0;
  for (const auto& point : points) {
    const auto size = std::abs(std::log(*model.predict(point, p) / point.median));
    sum += size <= outlier ? size * size : 2 * outlier * size - outlier * outlier;
  }
  return sum / 2;
}

/// Where a maximum of two laws hides a parameter at the optimum, its slope is 0 and the way back is not seen: tries
/// values over its whole range. True if `start` is now a better place.
bool look_elsewhere(Model& model, std::span<const compare::Point> points, const Optimum& found, Parameters& start) {
  constexpr int tries = 48;
  bool better = false;
  auto least = found.cost;
  const auto held = held_for(points);
  for (std::size_t i = 0; i < varied.size(); ++i) {
    if (found.jacobian.col(static_cast<Eigen::Index>(i)).norm() > unseen) continue;
    if (std::ranges::find(held, static_cast<int>(i)) != held.end()) continue;
    const auto& parameter = varied[i];
    const auto from = std::max(parameter.least, parameter.most * 1e-4);
    auto tried = start;
    for (int n = 0; n <= tries; ++n) {
      tried.*parameter.member = from * std::pow(parameter.most / from, static_cast<double>(n) / tries);
      const auto cost = cost_of(model, points, tried);
      if (cost > tie * least) continue;
      least = cost;
      start.*parameter.member = tried.*parameter.member;
      better = true;
    }
  }
  return better;
}

/// Reads beside writes that are much slower of a little, or a little slower of much: two valleys, and the way between
/// them goes up. Starts in each.
void try_other_valleys(Model& model, std::span<const compare::Point> points, Optimum& best) {
  constexpr double slower = 45;  // GB/s: about what the hosts seen have
  for (const double cached : {12.0, 48.0}) {
    auto start = best.parameters;
    start.beside_writes_rate = slower;
    start.cached = cached;
    auto tried = optimise(model, points, start, 40);
    if (tried.cost < best.cost - no_gain) best = std::move(tried);
  }
}

/// Relative standard errors; huge along directions that the points do not see.
Eigen::VectorXd standard_errors(const Optimum& optimum) {
  const auto rows = static_cast<double>(optimum.jacobian.rows());
  const auto seen = static_cast<double>((optimum.jacobian.colwise().norm().array() > unseen).count());
  const auto variance = optimum.residuals.squaredNorm() / std::max(rows - seen, 1.0);
  // A parameter that no point sees must not blur those that are seen: it stays where it is.
  Eigen::MatrixXd jacobian = optimum.jacobian;
  for (Eigen::Index i = 0; i < jacobian.cols(); ++i)
    if (jacobian.col(i).norm() <= unseen) jacobian.col(i).setZero();
  const Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> directions{normal};
  const Eigen::VectorXd curvatures = directions.eigenvalues().cwiseMax(1e-9);
  return (variance * directions.eigenvectors().cwiseAbs2() * curvatures.cwiseInverse()).cwiseSqrt();
}

std::vector<Estimate> estimates_of(const Optimum& optimum) {
  const auto errors = standard_errors(optimum);
  std::vector<Estimate> all;
  for (std::size_t i = 0; i < varied.size(); ++i) {
    const auto& parameter = varied[i];
    const auto column = static_cast<Eigen::Index>(i);
    Estimate e{std::string{parameter.name}, std::string{parameter.unit}, std::string{parameter.meaning}};
    e.value = optimum.parameters.*parameter.member;
    const auto half = 1.96 * errors(column);
    e.low = std::max(e.value * (1 - half), parameter.least);
    e.high = std::min(e.value * (1 + half), parameter.most);
    if (optimum.jacobian.col(column).norm() < unseen)
      e.why_not = "small changes of it move no fitted point";
    else if (half > widest)
      e.why_not = "other parameters explain the same points";
    else if (e.value <= parameter.least * 1.0001 || e.value >= parameter.most * 0.9999)
      e.why_not = "at the end of its range";
    e.identifiable = e.why_not.empty();
    all.push_back(std::move(e));
  }
  return all;
}

}  // namespace

bool can_fit(std::span<const compare::Point> points) {
  return std::ranges::any_of(points, [](const auto& point) { return !Model::law(point.experiment).empty(); });
}

Calibration fit(const compare::GpuFacts& gpu, std::span<const compare::Point> points) {
  Model model{gpu};
  std::vector<compare::Point> with_law;
  std::ranges::copy_if(points, std::back_inserter(with_law),
                       [](const compare::Point& point) { return !Model::law(point.experiment).empty(); });
  Optimum best = optimise(model, with_law, start_for(with_law), 40);
  for (int round = 0; round < 4; ++round) {
    auto start = best.parameters;
    if (!look_elsewhere(model, with_law, best, start)) break;
    auto tried = optimise(model, with_law, start, 40);
    if (auto kept = optimise(model, with_law, start, 0); kept.cost < tried.cost) tried = std::move(kept);
    if (tried.cost >= best.cost) break;
    best = std::move(tried);
  }
  try_other_valleys(model, with_law, best);
  std::vector<Estimate> choices;
  for (const auto& choice : chosen) {
    double second = -1;
    // As many steps for the value that stands: the others must not win by theirs.
    for (int round = 0; round < 5; ++round) {
      auto more = optimise(model, with_law, best.parameters, 6);
      const bool settled = more.cost > tie * best.cost;
      if (more.cost < best.cost) best = std::move(more);
      if (settled) break;
    }
    for (const auto value : choice.values) {
      if (value == best.parameters.*choice.member) continue;
      auto start = best.parameters;
      start.*choice.member = value;
      auto tried = optimise(model, with_law, start, 6);
      if (tried.cost < tie * best.cost) std::swap(tried, best);
      second = second < 0 ? tried.cost : std::min(second, tried.cost);
    }
    Estimate e{std::string{choice.name}, std::string{choice.unit}, std::string{choice.meaning}};
    e.value = e.low = e.high = best.parameters.*choice.member;
    e.identifiable = second > 1.05 * best.cost;
    if (!e.identifiable) e.why_not = "another of the values tried does as well";
    choices.push_back(std::move(e));
  }
  Calibration result;
  result.parameters = best.parameters;
  result.estimates = estimates_of(best);
  result.estimates.insert(result.estimates.end(), choices.begin(), choices.end());
  result.points = with_law.size();
  double squares = 0;
  for (const auto& point : with_law) {
    const auto error = *model.predict(point, best.parameters) / point.median - 1;
    squares += error * error;
  }
  result.rms = std::sqrt(squares / static_cast<double>(with_law.size()));
  return result;
}

}  // namespace peerpath::calibrate
