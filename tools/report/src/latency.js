// Latency as a distribution, one line a traffic entry: which share of packets took no longer than so long. The share has
// as much room for the last per mille as for the first half.
import { axis, flowColour } from "./charts.js";

const shares = [
  [0, "0 %"],
  [0.5, "50 %"],
  [0.9, "90 %"],
  [0.99, "99 %"],
  [0.999, "99.9 %"],
  [0.9999, "99.99 %"],
  [0.99999, "99.999 %"],
];

/** Decades of rarity: 90 % is 1, 99 % is 2. */
const rarity = (share) => -Math.log10(1 - share);

/** [log10 us, rarity] for each bin that holds samples, up to the last sample. */
function curve(traffic) {
  const bins = Object.entries(traffic.latency_fs).map(([lower, count]) => [Math.log10(Math.max(Number(lower), 1) * 1e-9), count]);
  const all = bins.reduce((sum, [, count]) => sum + count, 0);
  const points = [];
  let below = 0;
  for (const [lower, count] of bins) {
    points.push([lower, rarity(below / all)]);
    below += count;
  }
  // The last sample itself: beyond it lies less than one part of all.
  if (bins.length > 0) points.push([bins.at(-1)[0], rarity(1 - 0.5 / all)]);
  return points;
}

/** 1, 2 and 5 of each power of ten in a range; all of 1 to 9 where that gives fewer than three. */
export function ticks(least, most) {
  const between = (digits) => {
    const found = [];
    for (let decade = Math.floor(least) - 1; decade <= Math.ceil(most); ++decade)
      for (const digit of digits) {
        const value = decade + Math.log10(digit);
        if (value >= least && value <= most) found.push(value);
      }
    return found;
  };
  const few = between([1, 2, 5]);
  if (few.length >= 3) return few;
  const all = between([1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9]);
  return all.length >= 2 ? all : [least, (least + most) / 2, most];
}

const microseconds = (log) => {
  const us = 10 ** log;
  return us >= 1000 ? `${Number((us / 1000).toPrecision(3))} ms` : us < 1 ? `${Number((us * 1000).toPrecision(3))} ns` : `${Number(us.toPrecision(3))} µs`;
};

export function drawLatency(results, theme) {
  const of = (run, suffix) => (run?.traffic ?? []).map((traffic) => ({ name: traffic.name + suffix, traffic: traffic.name, points: curve(traffic), dashed: suffix !== "" }));
  const drawn = [...of(results, ""), ...of(results.other, ` (${results.other?.label})`)].filter((line) => line.points.length > 0);
  if (drawn.length === 0) return null;
  const highest = Math.max(1.2, ...drawn.map((line) => line.points.at(-1)[1]));
  const least = Math.min(...drawn.map((line) => line.points[0][0])) - 0.06;
  const most = Math.max(...drawn.map((line) => line.points.at(-1)[0])) + 0.06;
  const marks = shares.filter(([share]) => rarity(share) <= highest);
  const names = [...new Set(drawn.map((line) => line.traffic))];
  for (const line of drawn)
    line.color = flowColour(theme, results, line.traffic) ?? theme.series[names.indexOf(line.traffic) % theme.series.length];
  return {
    legend: drawn,
    option: {
      grid: { left: 10, right: 30, top: 30, bottom: 30, containLabel: true },
      xAxis: axis(theme, {
        type: "value", min: least, max: most, name: "latency", nameLocation: "middle", nameGap: 30,
        axisTick: { show: true, customValues: ticks(least, most) },
        axisLabel: { color: theme.ink, customValues: ticks(least, most), formatter: microseconds, hideOverlap: true },
        splitLine: { show: false },
      }),
      yAxis: axis(theme, {
        type: "value", min: 0, max: highest, name: "share of packets", nameTextStyle: { color: theme.soft, align: "left" },
        axisTick: { show: true, customValues: marks.map(([share]) => rarity(share)) },
        axisLabel: {
          color: theme.ink, customValues: marks.map(([share]) => rarity(share)),
          formatter: (value) => marks.find(([share]) => Math.abs(rarity(share) - value) < 1e-6)?.[1] ?? "",
        },
        splitLine: { show: false },
      }),
      tooltip: {
        trigger: "item",
        formatter: (point) => `${point.seriesName}<br>${(100 * (1 - 10 ** -point.value[1])).toPrecision(5)} % up to ${microseconds(point.value[0])}`,
      },
      series: drawn.map((line, index) => ({
        name: line.name, type: "line", step: "end", showSymbol: true, symbolSize: 3, data: line.points,
        color: line.color,
        lineStyle: line.dashed ? { type: "dashed" } : {},
        markLine: index > 0 ? undefined : {
          symbol: "none", silent: true, lineStyle: { color: theme.rule, type: "solid" }, label: { show: false },
          data: marks.slice(1).map(([share]) => ({ yAxis: rarity(share) })),
        },
      })),
    },
  };
}
