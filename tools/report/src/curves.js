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
