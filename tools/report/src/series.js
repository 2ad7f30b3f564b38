// Goodput, queues, tags, credits and drops over time: a chart for each, from series.json of the run.
import { axis } from "./charts.js";

const most = 8; // curves in a chart: those that reach highest

export const groups = {
  goodput: "payload, Gb/s",
  queues: "receive FIFO, B",
  tags: "requests outstanding",
  credits: "header credits in use",
  drops: "frames dropped",
};

export function drawSeries(group, results, theme) {
  const of = (run, suffix) => (run?.series?.curves ?? []).filter((curve) => curve.group === group).map((curve) => ({
    name: curve.name + suffix, dashed: suffix !== "",
    points: curve.values.map((value, n) => [(run.series.from_ns + n * run.series.step_ns) / 1000, value]),
    top: Math.max(...curve.values),
  }));
  const curves = [...of(results, ""), ...of(results.other, ` (${results.other?.label})`)];
  if (curves.length === 0) return null;
  curves.sort((a, b) => b.top - a.top || a.name.localeCompare(b.name));
  const shown = curves.slice(0, most).map((curve, n) => ({ ...curve, color: theme.series[n % theme.series.length] }));
  return {
    height: 250,
    legend: shown,
    option: {
      grid: { left: 10, right: 30, top: 30, bottom: 30, containLabel: true },
      xAxis: axis(theme, {
        type: "value", min: "dataMin", max: "dataMax", name: "µs since the start", nameLocation: "middle", nameGap: 28,
        splitLine: { show: false }, axisLabel: { color: theme.ink, hideOverlap: true, showMinLabel: false, showMaxLabel: false },
      }),
      yAxis: axis(theme, { type: "value", min: 0, name: groups[group], nameTextStyle: { color: theme.soft, align: "left" } }),
      tooltip: { trigger: "axis", valueFormatter: (value) => String(value) },
      series: shown.map((curve) => ({
        name: curve.name, color: curve.color, type: "line", step: "end", symbol: "none", data: curve.points,
        lineStyle: { width: 1.6, type: curve.dashed ? "dashed" : "solid" },
      })),
    },
  };
}
