// Why a value of a run is what it is.

import { fill, h } from "./dom.js";
import { read, runPath } from "./api.js";
import { shown } from "./format.js";
import { code } from "./prose.js";

export function explainForm(run, outputs) {
  const list = h("datalist", { id: "explain-paths" }, Object.keys(outputs).map((each) => h("option", { value: each })));
  const input = h("input", { id: "explain-path", type: "text", list: "explain-paths", placeholder: Object.keys(outputs)[0] });
  const told = h("div.explained", { role: "status" });
  return h("details.fold.card", {}, h("summary", {}, "Explain a value"), h("form.line", {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        const found = await read(runPath(run, `explain`) + `?value=${encodeURIComponent(input.value || input.placeholder)}`);
        fill(told, found.text ? h("pre", { tabIndex: 0 }, found.text) : code(shown(found), "Where it comes from"));
      } catch (error) {
        fill(told, h("p.caution", {}, error.message));
      }
    },
  }, h("label", { for: "explain-path" }, "Value"), input, list, h("button", { type: "submit" }, "Explain")), told);
}
