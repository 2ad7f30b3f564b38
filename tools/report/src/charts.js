// One chart of the page: made with the colours of the style sheet, made again when they or the width change.
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import {
  GridComponent, LegendComponent, LegendScrollComponent, MarkLineComponent, TooltipComponent, VisualMapComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

use([
  BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, GridComponent, LegendComponent, LegendScrollComponent,
  MarkLineComponent, TooltipComponent, VisualMapComponent, SVGRenderer,
]);

/** Colours of the page as it is shown now. */
function currentTheme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return {
    ink: colour("--ink"),
    soft: colour("--soft"),
    rule: colour("--rule"),
    panel: colour("--panel"),
    // ECharts measures text with it, so it has to be spelt out.
    font: getComputedStyle(document.body).fontFamily,
    loads: [0, 1, 2, 3, 4].map((n) => colour(`--load${n}`)),
    flows: [0, 1, 2, 3, 4, 5, 6, 7].map((n) => colour(`--flow${n}`)),
    series: ["#4c9ed9", "#e0991c", "#2fa36b", "#b07cd8", "#d0392b", "#3bb0a9", "#8c7a52", "#9aa7b5", "#c4ccd4", "#55606c"],
  };
}

/** The colour of a traffic entry in every drawing of the page, the topology too; undefined for other names. */
export function flowColour(theme, results, name) {
  const index = (results.traffic ?? []).findIndex((traffic) => traffic.name === name);
  return index < 0 ? undefined : theme.flows[index % theme.flows.length];
}

/** What all charts have in common. */
function withDefaults(option, theme) {
  return {
    animation: false,
    textStyle: { color: theme.ink, fontFamily: theme.font },
    color: theme.series,
    tooltip: { confine: true, backgroundColor: theme.panel, borderColor: theme.rule, textStyle: { color: theme.ink } },
    ...option,
  };
}

/** Names of lines with their colours, above the chart: they wrap as text does. */
function showLegend(element, entries, theme) {
  const before = element.previousElementSibling;
  if (before?.classList.contains("legend")) before.remove();
  if (!entries) return;
  const legend = document.createElement("p");
  legend.className = "legend";
  for (const { name, color, dashed } of entries) {
    const item = document.createElement("span"), line = document.createElement("i");
    line.style.borderTop = `3px ${dashed ? "dashed" : "solid"} ${color}`;
    line.style.height = "0";
    item.append(line, name);
    legend.append(item, " ");
  }
  element.before(legend);
}

/** Shows `option(theme)` in the element; nothing to show removes its section. */
export function start(id, option) {
  const element = document.getElementById(id);
  if (!element) return;
  let chart = null;
  const draw = () => {
    const theme = currentTheme();
    const made = option(theme);
    if (!made) {
      const section = element.closest("section");
      element.remove();
      if (section && !section.querySelector("table, svg, .chart")) section.remove();
      return;
    }
    if (made.height) element.style.height = `${made.height}px`;
    showLegend(element, made.legend, theme);
    chart ??= init(element, null, { renderer: "svg" });
    chart.setOption(withDefaults(made.option, theme), true);
    chart.resize();
  };
  draw();
  const again = () => chart && draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  addEventListener("resize", again);
  addEventListener("beforeprint", again);
}

/** An axis in the colours of the page. */
export function axis(theme, more) {
  return {
    axisLine: { onZero: false, lineStyle: { color: theme.soft } },  // at the side also where the other axis passes 0
    axisLabel: { color: theme.ink },
    nameTextStyle: { color: theme.soft },
    splitLine: { lineStyle: { color: theme.rule } },
    ...more,
  };
}

/** Height of a horizontal bar chart: the same thickness for any number of bars. */
export function barsHeight(bars) {
  return 90 + 26 * bars;
}

export function metricsByName(results) {
  return new Map(results.metrics.map((metric) => [metric.name, metric.value]));
}
