// Latency by percentile, one line a traffic entry, with as much room for the last per mille as for the first half.
import { axis } from "./charts.js";

const marks = [
  [0.5, "50 %"],
  [0.9, "90 %"],
  [0.99, "99 %"],
  [0.999, "99.9 %"],
  [0.9999, "99.99 %"],
  [0.99999, "99.999 %"],
];

/** Decades of rarity: 90 % is 1, 99 % is 2. */
const rarity = (share) => -Math.log10(1 - share);

/** [rarity, us] for each bin that holds samples, up to the last sample. */
function curve(traffic) {
  const bins = Object.entries(traffic.latency_fs).map(([lower, count]) => [Number(lower), count]);
  const all = bins.reduce((sum, [, count]) => sum + count, 0);
  const points = [];
  let below = 0;
  for (const [lower, count] of bins) {
    points.push([rarity(below / all), lower * 1e-9]);
    below += count;
  }
  // The last sample itself: beyond it lies less than one part of all.
  if (bins.length > 0) points.push([rarity(1 - 0.5 / all), bins.at(-1)[0] * 1e-9]);
  return points;
}

export function drawLatency(results, theme) {
  const lines = results.traffic.map((traffic) => ({ name: traffic.name, points: curve(traffic) }));
  const drawn = lines.filter((line) => line.points.length > 0);
  if (drawn.length === 0) return null;
  const last = Math.max(1.2, ...drawn.map((line) => line.points.at(-1)[0]));
  const shown = marks.filter(([share]) => rarity(share) <= last);
  const least = Math.min(...drawn.map((line) => line.points[0][1]));
  const most = Math.max(...drawn.map((line) => line.points.at(-1)[1]));
  return {
    option: {
      legend: { top: 0, textStyle: { color: theme.ink } },
      grid: { left: 70, right: 30, top: 36, bottom: 50 },
      xAxis: axis(theme, {
        type: "value", min: 0, max: last, interval: 100, name: "share of packets", nameLocation: "middle", nameGap: 30,
        axisLabel: { show: false }, splitLine: { show: false },
      }),
      yAxis: axis(theme, { type: "log", name: "latency, us", min: least * 0.5, max: most * 2,
        axisLabel: { color: theme.ink, showMinLabel: false, showMaxLabel: false, formatter: (us) => String(Number(us.toPrecision(2))) } }),
      tooltip: { trigger: "item", formatter: (point) => `${point.seriesName}<br>${point.value[1].toPrecision(4)} us` },
      series: drawn.map((line, index) => ({
        name: line.name, type: "line", step: "end", showSymbol: true, symbolSize: 3, data: line.points,
        markLine: index > 0 ? undefined : {
          symbol: "none", silent: true, lineStyle: { color: theme.rule, type: "solid" },
          label: { position: "start", color: theme.ink, formatter: (mark) => mark.name, distance: 6 },
          data: shown.map(([share, name]) => ({ name, xAxis: rarity(share) })),
        },
      })),
    },
  };
}
