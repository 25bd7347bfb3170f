// Charts: a figure that the server checked, drawn by plotly.js in the colours of the page.

import { h } from "./dom.js";
import { read } from "./api.js";

let library = null;

function plotly() {
  library ??= new Promise((resolve, reject) => {
    const script = h("script", { src: "/page/plotly.js", onload: () => resolve(window.Plotly), onerror: () => reject(new Error("plotly.js cannot be loaded")) });
    document.head.append(script);
  });
  return library;
}

const drawn = new Set();
window.addEventListener("theme", () => {
  for (const each of drawn) {
    if (each.box.isConnected) each.draw();
    else drawn.delete(each);
  }
});

/** A figure of a run, drawn when it comes into sight. */
export function chartView(run, name) {
  const box = h("div.plot", { role: "img", "aria-label": "Chart" });
  const title = h("figcaption");
  const holder = h("figure.chart", {}, title, box);
  const path = `/page/figures/${encodeURIComponent(run)}/${encodeURIComponent(name)}`;
  read(path).then((found) => {
    title.textContent = found.title || "";
    box.setAttribute("aria-label", `Chart: ${found.title || name}`);
    if (found.png) {
      box.replaceWith(h("img", { src: `data:image/png;base64,${found.png}`, alt: found.title || "Chart" }));
    } else if (!found.figure) {
      box.replaceWith(h("p.hint", {}, found.problem || "This figure cannot be shown here."));
    } else {
      const entry = { box, draw: () => draw(box, found.figure) };
      drawn.add(entry);
      const watcher = new IntersectionObserver((entries) => {
        if (!entries.some((each) => each.isIntersecting)) return;
        watcher.disconnect();
        entry.draw();
      }, { rootMargin: "300px" });
      watcher.observe(box);
    }
  }, (error) => box.replaceWith(h("p.hint", {}, error.message)));
  return holder;
}

async function draw(box, figure) {
  try {
    const shown = themed(figure);
    await (await plotly()).react(box, shown.data, shown.layout, {
      responsive: true, displayModeBar: false, displaylogo: false, showSendToCloud: false,
      showLink: false, editable: false, scrollZoom: false,
    });
  } catch {
    box.textContent = "This chart cannot be drawn.";
  }
}

const LIGHT = ["#3f74b5", "#d98032", "#4d9a6a", "#9a6bb0", "#c2566a", "#2f9aa0", "#a8873a", "#7d8a99"];
const DARK = ["#74a7e4", "#e79b57", "#6bb98a", "#b98fd0", "#dd7f8d", "#55bcc2", "#c9a95a", "#9dabb9"];

function themed(figure) {
  const styles = window.getComputedStyle(document.body);
  const colour = (name) => styles.getPropertyValue(name).trim();
  const [ink, soft, line] = [colour("--ink"), colour("--soft"), colour("--line")];
  const narrow = window.innerWidth < 640;
  const layout = structuredClone(figure.layout || {});
  delete layout.title;
  delete layout.width;
  Object.assign(layout, {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", autosize: true,
    height: Math.min(layout.height || 340, 560),
    font: { ...layout.font, color: ink, size: narrow ? 11 : 12, family: styles.fontFamily },
    colorway: layout.colorway || (styles.colorScheme === "dark" ? DARK : LIGHT),
    margin: { l: 56, r: 12, t: 12, b: 44 },
    hoverlabel: { bgcolor: colour("--card"), bordercolor: line, font: { color: ink }, namelength: 40 },
    legend: { ...layout.legend, bgcolor: "rgba(0,0,0,0)", font: { color: ink }, ...(narrow ? { orientation: "h", y: -0.25, x: 0, xanchor: "left" } : {}) },
  });
  if (window.matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
  for (const name of ["xaxis", "yaxis"]) layout[name] ||= {};
  for (const name of Object.keys(layout)) {
    const axis = layout[name];
    if (/^[xy]axis\d*$/.test(name) && axis && typeof axis === "object") {
      const title = typeof axis.title === "string" ? { text: axis.title } : axis.title;
      layout[name] = { ...axis, gridcolor: line, zerolinecolor: soft, linecolor: line, tickcolor: line, automargin: true,
        tickfont: { ...axis.tickfont, color: soft }, ...(title ? { title: { ...title, font: { color: soft }, standoff: 12 } } : {}) };
    } else if (/^polar\d*$/.test(name) && axis) {
      layout[name] = { ...axis, bgcolor: "rgba(0,0,0,0)" };
    }
  }
  for (const each of layout.annotations || []) {
    each.font = { ...each.font, color: ink };
    each.arrowcolor = soft;
  }
  return { data: structuredClone(figure.data), layout };
}
