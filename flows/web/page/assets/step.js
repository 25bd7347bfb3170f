// One step of a run, whole: inputs, outputs, what models were asked, time and cost; and a fork at it.

import { fill, h, toast } from "./dom.js";
import { read, runPath, send } from "./api.js";
import { openDialog } from "./answer.js";
import { money, seconds, shown, stepName } from "./format.js";
import { facts } from "./progress.js";
import { code } from "./prose.js";

export async function openStep(run, address) {
  const body = openDialog(stepName(address), h("p.hint", {}, "The step is being read…"));
  let step;
  try {
    step = await read(runPath(run, "steps", address));
  } catch (error) {
    fill(body, h("p.caution", {}, error.message));
    return;
  }
  const usage = step.usage || {};
  fill(body, facts([
    ["Address", h("code", {}, address)], ["Flow", step.flow], ["Came to", CAME_TO[step.came_to] || step.came_to], ["Time", seconds(step.seconds)],
    ["Models", (step.models || []).join(", ")], ["Model calls", usage.model_calls || ""], ["Tokens", (usage.input_tokens || 0) + (usage.output_tokens || 0) || ""], ["Cost", usage.cost ? money(usage.cost) : ""],
  ]), step.failure ? h("p.caution", {}, typeof step.failure === "string" ? step.failure : shown(step.failure)) : null,
  forkForm(run, address), part("Inputs", step.inputs), part("Outputs", step.outputs), step.request ? requestView(step.request) : null);
}

const CAME_TO = { done: "Done", failed: "Failed", asked: "Asked you", unfinished: "Unfinished" };

function part(name, values) {
  if (!values || !Object.keys(values).length) return null;
  return h("section", {}, h("h3", {}, name), Object.entries(values).map(([key, value]) => code(shown(value), key)));
}

/** What a model was asked, message by message, and where each part of that comes from. */
export function requestView(request) {
  return h("section", {}, h("h3", {}, `What ${request.model || "the model"} was asked`), request.why ? h("p.hint", {}, request.why) : null,
    messagesOf(request.body).map(([role, text]) => code(text, role)), partsView(request.parts || []));
}

function messagesOf(body) {
  if (!body) return [];
  let read;
  try {
    read = JSON.parse(body);
  } catch {
    return [["request", body]];
  }
  if (!Array.isArray(read.messages)) return [["request", shown(read)]];
  const { messages, ...rest } = read;
  return [...messages.map((each) => [each.role || "message", typeof each.content === "string" ? each.content : shown(each)]), ["settings", shown(rest)]];
}

function partsView(parts) {
  if (!parts.length) return null;
  return h("details.fold", {}, h("summary", {}, "Where its parts come from"), h("div.scroll", { tabIndex: 0, role: "region", "aria-label": "The parts of the request" }, h("table.plain.parts", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Part"), h("th", { scope: "col" }, "From"))),
    h("tbody", {}, parts.map((each) => h("tr", {}, h("td", {}, h("code", {}, each.text.length > 300 ? `${each.text.slice(0, 300)}…` : each.text)), h("td", {}, originText(each.origin))))))));
}

function originText(origin) {
  const place = origin.file ? `${origin.file}${origin.line ? `:${origin.line}` : ""}` : "";
  return [origin.text, place, origin.step ? `${origin.step} ${origin.key || ""}` : ""].filter(Boolean).join(" · ");
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
