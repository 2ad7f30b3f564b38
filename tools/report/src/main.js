// Draws the charts of the report from the results in the page.
import { drawCurve } from "./curves.js";
import { drawLatency } from "./latency.js";
import { drawLinks } from "./links.js";
import { drawResources } from "./resources.js";
import { start } from "./charts.js";

const results = JSON.parse(document.getElementById("results").textContent);

start("latency-chart", (theme) => drawLatency(results, theme));
start("link-chart", (theme) => drawLinks(results, theme));
start("resource-chart", (theme) => drawResources(results, theme));
(results.curves ?? []).forEach((curve, number) => start(`curve-${number}`, (theme) => drawCurve(curve, theme)));
