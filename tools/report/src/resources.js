// How busy each resource was; the bottleneck is on top.
import { axis, barsHeight } from "./charts.js";

const most = 24;

/** The colours of the topology drawing. */
function colour(theme, percent) {
  const step = [1, 40, 70, 90].findIndex((limit) => percent < limit);
  return theme.loads[step < 0 ? 4 : step];
}

export function drawResources(results, theme) {
  const ranked = results.utilisation.slice(0, most).reverse();
  if (ranked.length === 0) return null;
  return {
    height: barsHeight(ranked.length) - 30,
    option: {
      grid: { left: 10, right: 60, top: 6, bottom: 40, containLabel: true },
      xAxis: axis(theme, { type: "value", min: 0, max: 100, name: "% of the time, or of its rate", nameLocation: "middle", nameGap: 26 }),
      yAxis: axis(theme, { type: "category", splitLine: { show: false }, axisTick: { show: false },
        data: ranked.map((resource) => resource.name) }),
      series: [{
        type: "bar", barWidth: 16, label: { show: true, position: "right", color: theme.ink, formatter: (bar) => `${bar.value.toFixed(1)} %` },
        data: ranked.map((resource) => ({ value: resource.percent, itemStyle: { color: colour(theme, resource.percent) } })),
      }],
    },
  };
}
