// What each direction of each link carried: payload, the other purposes, overhead, DLLPs. They share the time in which
// the line was busy by their bytes, so that a link that has trained down or replays is as full as it was.
import { axis, barsHeight, metricsByName } from "./charts.js";

const purposes = ["payload", "header", "descriptor", "completion_entry", "doorbell", "interrupt", "control", "retransmission"];
const parts = [...purposes, "overhead", "dllp"];
const label = (part) => (part === "dllp" ? "DLLP" : part.replace("_", " "));

export function drawLinks(results, theme) {
  if (results.ledger.length === 0 || results.simulated_ns === 0) return null;
  const metrics = metricsByName(results);
  const sides = [...results.ledger].reverse();
  const percent = (side, part) => {
    const metric = (name) => metrics.get(`${side.link}.${side.direction}.${name}`) ?? 0;
    const wire = metric("wire_bytes");
    return wire === 0 ? 0 : (metric("utilisation_percent") * metric(`${part}_bytes`)) / wire;
  };
  const used = parts.filter((part) => sides.some((side) => percent(side, part) > 0));
  return {
    height: barsHeight(sides.length),
    legend: used.map((part) => ({ name: label(part), color: theme.series[parts.indexOf(part)] })),
    option: {
      grid: { left: 10, right: 40, top: 6, bottom: 40, containLabel: true },
      xAxis: axis(theme, { type: "value", min: 0, max: 100, name: "% of the time", nameLocation: "middle", nameGap: 26 }),
      yAxis: axis(theme, { type: "category", splitLine: { show: false }, axisTick: { show: false },
        data: sides.map((side) => `${side.link} ${side.direction === "up" ? "↑" : "↓"}`) }),
      tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: (value) => `${value.toFixed(2)} %` },
      series: used.map((part) => ({
        name: label(part), type: "bar", stack: "all", barWidth: 16,
        itemStyle: { color: theme.series[parts.indexOf(part)] },
        data: sides.map((side) => percent(side, part)),
      })),
    },
  };
}
