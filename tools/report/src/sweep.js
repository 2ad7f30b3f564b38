// A sweep: its figure (goodput, or a metric) over the two keys with the largest effect, the points that no other one beats, and how much each key does.
import { axis, barsHeight } from "./charts.js";

/** The values of a key in the order of the sweep. */
const valuesOf = (sweep, key) => [...new Set(sweep.points.map((point) => point.values[key]))];

/** Mean figure for each value of a key. */
function means(sweep, key) {
  return valuesOf(sweep, key).map((value) => {
    const of = sweep.points.filter((point) => point.values[key] === value && point.value !== null);
    return of.length === 0 ? null : of.reduce((sum, point) => sum + point.value, 0) / of.length;
  });
}

/** Keys with how far the mean figure of their values lies apart, most first. */
function sensitivities(sweep) {
  return sweep.keys.map((name, key) => {
    const found = means(sweep, key).filter((mean) => mean !== null);
    return { name, key, spread: found.length === 0 ? 0 : Math.max(...found) - Math.min(...found) };
  }).sort((a, b) => b.spread - a.spread);
}

export function drawSensitivities(results, theme) {
  if (!results.sweep) return null;
  const ranked = sensitivities(results.sweep).reverse();
  return {
    height: barsHeight(ranked.length) + 10,
    option: {
      grid: { left: 10, right: 90, top: 6, bottom: 40, containLabel: true },
      xAxis: axis(theme, { type: "value", min: 0, name: results.sweep.unit, nameLocation: "middle", nameGap: 26, axisLabel: { color: theme.ink, hideOverlap: true } }),
      yAxis: axis(theme, { type: "category", splitLine: { show: false }, axisTick: { show: false }, data: ranked.map((key) => key.name),
        axisLabel: { color: theme.ink, width: 220, overflow: "truncate" } }),
      tooltip: { trigger: "item" },
      series: [{ type: "bar", barWidth: 16, data: ranked.map((key) => Number(key.spread.toFixed(3))), color: theme.series[0],
        label: { show: true, position: "right", color: theme.ink, formatter: (bar) => `${bar.value} ${results.sweep.unit}` } }],
    },
  };
}

/** Over the one key of a sweep. */
function curve(sweep, theme) {
  const label = [sweep.figure, sweep.unit].filter(Boolean).join(", ");
  return {
    height: 320,
    option: {
      grid: { left: 10, right: 30, top: 36, bottom: 34, containLabel: true },
      xAxis: axis(theme, { type: "category", data: valuesOf(sweep, 0), name: sweep.keys[0], nameLocation: "middle", nameGap: 28, axisLabel: { color: theme.ink, hideOverlap: true } }),
      yAxis: axis(theme, { type: "value", scale: true, name: label, nameTextStyle: { color: theme.soft, align: "left" } }),
      tooltip: { trigger: "axis" },
      series: [{ type: "line", symbolSize: 7, color: theme.series[0], data: means(sweep, 0) }],
    },
  };
}

export function drawFigure(results, theme) {
  const sweep = results.sweep;
  if (!sweep) return null;
  return sweep.keys.length === 1 ? curve(sweep, theme) : heat(sweep, theme);
}

function heat(sweep, theme) {
  const [first, second] = sensitivities(sweep).slice(0, 2).map((key) => key.key).sort((a, b) => a - b);
  const columns = valuesOf(sweep, first), rows = valuesOf(sweep, second);
  const cells = new Map();
  for (const point of sweep.points) {
    if (point.value === null) continue;
    const place = `${columns.indexOf(point.values[first])},${rows.indexOf(point.values[second])}`;
    cells.set(place, [...(cells.get(place) ?? []), point.value]);
  }
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const data = [...cells].map(([place, values]) => [...place.split(",").map(Number), Number(mean(values).toFixed(2))]);
  if (data.length === 0) return null;
  const all = data.map((cell) => cell[2]);
  const middle = (Math.min(...all) + Math.max(...all)) / 2;
  // Dark letters on the light half of the colours, and light ones on the dark half.
  const labelled = data.map((value) => ({ value, label: { color: value[2] > middle ? "#1a202c" : "#fff" } }));
  return {
    height: 156 + 34 * rows.length,
    option: {
      grid: { left: 10, right: 20, top: 36, bottom: 84, containLabel: true },
      xAxis: axis(theme, { type: "category", data: columns, name: sweep.keys[first], nameLocation: "middle", nameGap: 28, axisLabel: { color: theme.ink, hideOverlap: true } }),
      yAxis: axis(theme, { type: "category", data: rows, name: sweep.keys[second], nameTextStyle: { color: theme.soft, align: "left" } }),
      visualMap: { min: Math.min(...all), max: Math.max(...all), precision: 1, calculable: false, orient: "horizontal", left: "center", bottom: 0,
        text: [`${Math.max(...all)} ${sweep.unit}`, `${Math.min(...all)} ${sweep.unit}`], textStyle: { color: theme.ink }, inRange: { color: ["#2c3e70", "#2f8f8f", "#f2d75c"] } },
      tooltip: { trigger: "item", formatter: (cell) => `${sweep.keys[first]} ${columns[cell.value[0]]}<br>${sweep.keys[second]} ${rows[cell.value[1]]}<br>${cell.value[2]} ${sweep.unit}` },
      series: [{ type: "heatmap", data: labelled, label: { show: columns.length <= 12 } }],
    },
  };
}

/** Points that no other one beats in both: more goodput, and less latency. */
export function front(points) {
  return points.filter((point) => !points.some((other) => other.value >= point.value && other.latency <= point.latency &&
    (other.value > point.value || other.latency < point.latency)));
}

export function drawPareto(results, theme) {
  const sweep = results.sweep;
  if (sweep?.figure !== "goodput") return null;
  const points = sweep.points.filter((point) => point.value !== null && point.latency !== null);
  if (points.length === 0) return null;
  const best = front(points).sort((a, b) => a.value - b.value);
  const place = (point) => ({ value: [point.value, point.latency / 1000], point });
  const tip = ({ data }) => [`point ${data.point.number}`, ...sweep.keys.map((key, n) => `${key} = ${data.point.values[n]}`),
    `${data.value[0].toFixed(2)} Gb/s, p99 ${data.value[1].toFixed(2)} µs`, data.point.bottleneck].filter(Boolean).join("<br>");
  return {
    height: 380,
    option: {
      legend: { top: 0, textStyle: { color: theme.ink } },
      grid: { left: 10, right: 30, top: 56, bottom: 34, containLabel: true },
      xAxis: axis(theme, { type: "value", scale: true, name: "goodput, Gb/s", nameLocation: "middle", nameGap: 28, axisLabel: { color: theme.ink, hideOverlap: true } }),
      yAxis: axis(theme, { type: "value", scale: true, name: "latency p99, µs", nameTextStyle: { color: theme.soft, align: "left" } }),
      tooltip: { trigger: "item", formatter: tip },
      series: [
        { name: "points", type: "scatter", symbolSize: 7, color: theme.soft, data: points.map(place) },
        { name: "nothing beats these", type: "line", step: "end", symbolSize: 9, color: theme.series[1], data: best.map(place) },
      ],
    },
  };
}
