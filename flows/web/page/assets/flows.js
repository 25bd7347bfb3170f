// The hosted run files: each with its graph, its inputs, and its runs.

import { h } from "./dom.js";
import { freshKey, read, send } from "./api.js";
import { schemaForm, words } from "./form.js";
import { graphView } from "./graph.js";
import { runRows } from "./runs.js";

const path = (name) => `/api/flows/${encodeURIComponent(name)}`;

/** All hosted flows. */
export async function flowsView() {
  const flows = await read("/api/flows");
  const element = h("div.page", {}, h("h1", {}, "Flows"),
    flows.length ? h("ul.cards", {}, flows.map((each) => h("li", {}, h("a.card.link", { href: `#/flows/${encodeURIComponent(each.name)}` },
      h("h2", {}, each.title || each.name), h("p", {}, each.description || ""), h("p.hint", {}, inputsText(each.inputs))))))
      : h("div.empty", {}, h("h2", {}, "No run file is open here"), h("p", {}, "Start the page with a file of yours, ", h("code", {}, "flows web demo.yaml"), ", or with flows that are there: ", h("code", {}, "flows web autogpt analyst --data sales.csv"))));
  return { element, title: "Flows" };
}

function inputsText(schema) {
  const names = Object.keys(schema?.properties || {});
  return names.length ? `Takes ${names.map((each) => each.replace(/_/g, " ")).join(", ")}` : "Takes no inputs";
}

/** A flow: its form, its graph, and what it was run for. */
export async function flowView(name) {
  const flow = await read(path(name));
  const form = schemaForm(flow.inputs || {});
  const told = h("p.problem", { role: "alert" });
  const start = h("button.primary", { type: "submit" }, "Run");
  let key = freshKey();

  async function submit(event) {
    event.preventDefault();
    told.textContent = "";
    let inputs;
    try {
      inputs = form.values();
    } catch (error) {
      told.textContent = error.message;
      return;
    }
    start.disabled = true;
    try {
      const run = await send(`${path(name)}/runs`, { inputs }, { "Idempotency-Key": key });
      window.location.hash = `#/runs/${encodeURIComponent(run.id)}`;
    } catch (error) {
      if (error.status !== undefined) key = freshKey();
      const port = String(error.where || "").split(/[ .]/).pop();
      if (!form.fail(port, error.message)) told.textContent = error.message;
    } finally {
      start.disabled = false;
    }
  }

  const runs = h("div");
  const refresh = async () => {
    const found = (await read("/api/runs?limit=60")).runs || [];
    runs.replaceChildren(runRows(found.filter((each) => each.flow === name).slice(0, 8), { flow: false, none: "It was not run yet." }));
  };
  await refresh().catch((error) => runs.replaceChildren(h("p.hint", {}, error.message)));
  const outputs = Object.keys(flow.outputs?.properties || {});
  const element = h("div.page.wide", {}, h("p.crumb", {}, h("a", { href: "#/flows" }, "Flows")), h("h1", {}, flow.title || name),
    flow.description ? h("p.lead", {}, flow.description) : null,
    h("div.columns", {},
      h("div", {},
        h("section.card", { "aria-labelledby": "inputs-title" }, h("h2", { id: "inputs-title" }, form.empty ? "Start" : "Inputs"),
          h("form", { onsubmit: submit, noValidate: true }, form.empty ? h("p.hint", {}, "It takes no inputs.") : form.element, told, h("div.line", {}, start)),
          outputs.length ? h("p.hint.outputs", {}, `Gives ${outputs.map((each) => words(each).toLowerCase()).join(", ")}.`) : null),
        h("section", { "aria-labelledby": "runs-title" }, h("h2", { id: "runs-title" }, "Its runs"), runs)),
      flow.graph?.nodes?.length ? h("section.card.graph-card", { "aria-labelledby": "graph-title" }, h("h2", { id: "graph-title" }, "Graph"), graphView(flow.graph).element) : null));
  return { element, title: flow.title || name };
}
