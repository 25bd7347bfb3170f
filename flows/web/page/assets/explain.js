// Why a value of a run is what it is: the steps that it went through, and what models were asked.

import { fill, h } from "./dom.js";
import { read, runPath } from "./api.js";
import { shown } from "./format.js";
import { code } from "./prose.js";
import { openStep, requestView } from "./step.js";

/** A form that explains a value of the outputs of a run. */
export function explainForm(run, outputs) {
  const list = h("datalist", { id: "explain-paths" }, Object.keys(outputs).map((each) => h("option", { value: each })));
  const input = h("input", { id: "explain-path", type: "text", list: "explain-paths", placeholder: Object.keys(outputs)[0] });
  const told = h("div.explained", { role: "status" });

  async function submit(event) {
    event.preventDefault();
    fill(told, h("p.hint", {}, "Its steps are being read…"));
    try {
      fill(told, explained(run, await read(`${runPath(run, "explain")}?value=${encodeURIComponent(input.value || input.placeholder)}`)));
    } catch (error) {
      fill(told, h("p.caution", {}, error.message));
    }
  }

  return h("details.fold.card", {}, h("summary", {}, "Explain a value"), h("form.line", { onsubmit: submit },
    h("label", { for: "explain-path" }, "Value"), input, list, h("button", { type: "submit" }, "Explain")), told);
}

function explained(run, found) {
  const links = (found.links || []).map((each) => h("li", {}, h("button.link", { type: "button", onclick: () => openStep(run, each.step) }, each.step), ` ${each.kind} `, h("code", {}, each.key),
    h("span.hint", {}, [each.how, each.flow].filter(Boolean).map((part) => ` · ${part}`).join(""))));
  return [code(shown(found.value), found.path), links.length ? h("ol.links", {}, links) : h("p.hint", {}, "No step made it."), (found.requests || []).map(requestView)];
}
