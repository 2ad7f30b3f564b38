// A measured curve with its spread, and the one that the model predicts.
import { axis } from "./charts.js";

const times = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "us"],
  [1, "ns"],
];

function time(ns) {
  const [scale, unit] = times.find(([least]) => ns >= least) ?? times.at(-1);
  return `${Number((ns / scale).toPrecision(4))} ${unit}`;
}

/** Values of the axis are powers of two for the most part: 65536 as 64 Ki. */
function short(value) {
  if (value >= 1048576 && value % 1048576 === 0) return `${value / 1048576} Mi`;
  return value >= 1024 && value % 1024 === 0 ? `${value / 1024} Ki` : String(value);
}

function tip(curve, points) {
  const at = curve.points[points[0].dataIndex];
  return [
    `${curve.axis} ${short(at.at)}${at.fitted ? " (fitted)" : ""}`,
    `measured ${time(at.measured_ns)} (${time(at.p10_ns)} to ${time(at.p90_ns)})`,
    `predicted ${time(at.predicted_ns)}, ${(100 * at.error).toFixed(1)} %`,
  ].join("<br>");
}

/** Bytes of a point, where its curve is one over sizes: then there is a rate as well. */
const bytesOf = (curve, point) => (/bytes|size/.test(curve.axis) && point.at > 0 ? point.at : null);
const rate = (bytes, ns) => Number((bytes / ns).toPrecision(4));

/** The error of each prediction in percent, with the spread of what was measured around zero; rates as GB/s beside it. */
export function drawErrors(curve, theme) {
  if (curve.points.length === 0) return null;
  const names = curve.points.map((point) => short(point.at));
  const sized = curve.points.every((point) => bytesOf(curve, point) !== null);
  const spread = (point, key) => (100 * (point[key] - point.measured_ns)) / point.measured_ns;
  const errors = curve.points.map((point) => Number((100 * point.error).toFixed(2)));
  const low = curve.points.map((point) => spread(point, "p10_ns")), high = curve.points.map((point) => spread(point, "p90_ns"));
  const band = (name, data, more) => ({
    name, type: "line", symbol: "none", lineStyle: { width: 0 }, stack: "spread", stackStrategy: "all", silent: true, data, ...more,
  });
  const rates = (name, key, more) => ({
    name, type: "line", yAxisIndex: 1, xAxisIndex: 1, data: curve.points.map((point) => rate(bytesOf(curve, point), point[key])), ...more,
  });
  const half = sized ? "46%" : "78%";
  const xAxis = (index, top) => axis(theme, {
    gridIndex: index, type: "category", data: names, axisLabel: { color: theme.ink, hideOverlap: true }, splitLine: { show: false },
    ...(top ? {} : { name: curve.axis, nameLocation: "middle", nameGap: 28 }),
  });
  return {
    height: sized ? 420 : 240,
    legend: [
      { name: "error of the prediction", color: theme.series[1] },
      { name: "grey: spread of the measurement, p10 to p90", color: theme.soft },
      ...(sized ? [{ name: "measured, GB/s", color: theme.series[0] }, { name: "predicted, GB/s", color: theme.series[2], dashed: true }] : []),
    ],
    option: {
      grid: [
        { left: 64, right: 20, top: 30, height: sized ? "32%" : half },
        ...(sized ? [{ left: 64, right: 20, top: "60%", bottom: 40 }] : []),
      ],
      tooltip: { trigger: "axis", valueFormatter: (value) => (value === null || value === undefined ? "-" : String(value)) },
      xAxis: [xAxis(0, sized), ...(sized ? [xAxis(1, false)] : [])],
      yAxis: [
        axis(theme, { type: "value", name: "error, %", nameTextStyle: { color: theme.soft, align: "left" } }),
        ...(sized ? [axis(theme, { gridIndex: 1, type: "value", min: 0, name: "GB/s", nameTextStyle: { color: theme.soft, align: "left" } })] : []),
      ],
      series: [
        band("", low.map((value) => Number(value.toFixed(2))), { tooltip: { show: false } }),
        band("spread of the measurement, p10 to p90", high.map((value, n) => Number((value - low[n]).toFixed(2))),
          { areaStyle: { color: theme.soft, opacity: 0.25 }, tooltip: { show: false } }),
        { name: "error of the prediction", type: "bar", barMaxWidth: 14, color: theme.series[1], data: errors },
        ...(sized ? [
          rates("measured, GB/s", "measured_ns", { symbolSize: 6, color: theme.series[0] }),
          rates("predicted, GB/s", "predicted_ns", { symbol: "none", color: theme.series[2], lineStyle: { type: "dashed" } }),
        ] : []),
      ],
    },
  };
}

export function drawCurve(curve, theme) {
  const line = (name, key, more) => ({ name, type: "line", data: curve.points.map((point) => point[key]), ...more });
  return {
    option: {
      legend: { top: 0, textStyle: { color: theme.ink } },
      grid: { left: 80, right: 30, top: 36, bottom: 50 },
      tooltip: { trigger: "axis", formatter: (points) => tip(curve, points) },
      xAxis: axis(theme, {
        type: "category", data: curve.points.map((point) => short(point.at)), name: curve.axis, nameLocation: "middle",
        nameGap: 30,
      }),
      yAxis: axis(theme, { type: "log", axisLabel: { color: theme.ink, formatter: time } }),
      series: [
        line("measured", "measured_ns", { symbolSize: 7 }),
        line("predicted", "predicted_ns", { symbol: "none", lineStyle: { type: "dashed" } }),
        {
          name: "fitted points", type: "line", lineStyle: { width: 0 }, symbol: "diamond", symbolSize: 12,
          data: curve.points.map((point) => (point.fitted ? point.measured_ns : null)),
        },
      ],
    },
  };
}
