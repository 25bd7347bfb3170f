// One step of a run, whole: inputs, outputs, what models were asked, time and cost; and a fork at it.

import { fill, h, toast } from "./dom.js";
import { read, runPath, send } from "./api.js";
import { openDialog } from "./answer.js";
import { money, seconds, shown, stepName } from "./format.js";
import { facts } from "./progress.js";
import { code } from "./prose.js";

export async function openStep(run, address) {
  const body = openDialog(stepName(address), h("p.hint", {}, "…"));
  let step;
  try {
    step = await read(runPath(run, "steps", address));
  } catch (error) {
    fill(body, h("p.caution", {}, error.message));
    return;
  }
  const usage = step.usage || {};
  fill(body, facts([
    ["Address", h("code", {}, address)], ["Flow", step.flow], ["Status", step.status], ["Time", seconds(step.seconds ?? (step.elapsed_ms === undefined ? null : step.elapsed_ms / 1000))],
    ["Model calls", usage.model_calls || ""], ["Tokens", (usage.input_tokens || 0) + (usage.output_tokens || 0) || ""], ["Cost", usage.cost ? money(usage.cost) : ""],
  ]), step.message || step.error ? h("p.caution", {}, step.message || String(step.error)) : null,
  part("Inputs", step.inputs), part("Outputs", step.outputs), (step.calls || []).map(callView), forkForm(run, address));
}

function part(name, values) {
  if (!values || !Object.keys(values).length) return null;
  return h("section", {}, h("h3", {}, name), Object.entries(values).map(([key, value]) => code(shown(value), key)));
}

/** What a model was asked, and what it said. */
function callView(call, place) {
  const messages = call.messages || call.request?.messages || [];
  const rest = Object.fromEntries(Object.entries(call).filter(([name]) => !["messages", "system"].includes(name)));
  return h("details.fold", {}, h("summary", {}, `Model call ${place + 1}${call.model ? `: ${call.model}` : ""}`),
    call.system ? code(call.system, "system") : null,
    messages.map((each) => code(typeof each.content === "string" ? each.content : shown(each.content ?? each), each.role || "message")), code(shown(rest), "call"));
}

function forkForm(run, address) {
  const input = h("textarea", { id: "fork-settings", rows: 2, placeholder: "model.name=gpt-5-mini", class: "mono" });
  return h("details.fold", {}, h("summary", {}, "Fork here"), h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        const found = await send(runPath(run, "fork"), { at: address, settings: input.value.split("\n").map((each) => each.trim()).filter(Boolean) });
        document.querySelector("dialog[open]")?.close();
        window.location.hash = `#/runs/${encodeURIComponent(found.id)}`;
      } catch (error) {
        toast(error.message, true);
      }
    },
  }, h("div.field", {}, h("label", { for: "fork-settings" }, "Settings from here on"), input, h("p.hint", {}, "What stands before this step is taken from the record. One change on each line.")),
  h("button.primary", { type: "submit" }, "Fork")));
}
