// Draws the charts of the report from the results in the page.
import { drawCurve, drawErrors } from "./curves.js";
import { drawLatency } from "./latency.js";
import { drawLinks } from "./links.js";
import { drawResources } from "./resources.js";
import { drawSeries, groups } from "./series.js";
import { drawFigure, drawPareto, drawSensitivities } from "./sweep.js";
import { start } from "./charts.js";

const results = JSON.parse(document.getElementById("results").textContent);

start("latency-chart", (theme) => drawLatency(results, theme));
start("link-chart", (theme) => drawLinks(results, theme));
start("resource-chart", (theme) => drawResources(results, theme));
for (const group of Object.keys(groups)) start(`${group}-chart`, (theme) => drawSeries(group, results, theme));
(results.curves ?? []).forEach((curve, number) => {
  start(`curve-${number}`, (theme) => drawCurve(curve, theme));
  start(`curve-${number}-error`, (theme) => drawErrors(curve, theme));
});
start("figure-chart", (theme) => drawFigure(results, theme));
start("pareto-chart", (theme) => drawPareto(results, theme));
start("sensitivity-chart", (theme) => drawSensitivities(results, theme));
