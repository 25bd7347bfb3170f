// The runs: all of them, and two beside each other.

import { h, fill, put, toast } from "./dom.js";
import { read } from "./api.js";
import { count, money, seconds, short, shown, statusText, statusTone, time } from "./format.js";

const PAGE = 50;
const MOST_SIDES = 30;

export const chip = (status) => h("span.chip", { class: statusTone(status) }, statusText(status));

/** A list of runs with links; `flow: false` leaves the name of the flow out. */
export function runRows(runs, { flow = true, none = "No runs yet.", picked = null } = {}) {
  if (!runs.length) return h("p.hint", {}, none);
  return h("ul.run-rows", {}, runs.map((each) => {
    const pick = picked ? h("input", { type: "checkbox", "aria-label": `Compare the run ${each.id}`, checked: picked.has(each.id), onchange: (event) => picked.toggle(each.id, event.target) }) : null;
    return h("li", {}, pick, h("a", { href: `#/runs/${encodeURIComponent(each.id)}` },
      h("span.run-name", {}, flow ? h("strong", {}, each.title || each.flow || "Run") : null, h("span", {}, inputText(each) || (flow ? "" : each.id))),
      h("span.run-facts", {}, [time(each.started || each.at || each.queued), seconds(each.seconds), each.cost ? money(each.cost) : ""].filter(Boolean).join(" · ")), chip(each.status)));
  }));
}

/** What a run was asked, in a line: its first text, or all of its plain values. */
function inputText(run) {
  const inputs = Object.entries(run.inputs || {});
  const text = inputs.map(([, value]) => value).find((each) => typeof each === "string" && each.trim());
  const plain = inputs.filter(([, value]) => ["number", "boolean"].includes(typeof value)).map(([name, value]) => `${name.replace(/_/g, " ")}: ${value}`);
  return (text ? text.replace(/\s+/g, " ") : plain.join(", ")).slice(0, 140);
}

export async function runsView(query) {
  const status = query.get("status") || "";
  const list = h("div");
  const more = h("button", { type: "button", onclick: async () => {
    more.disabled = true;
    await load().catch((error) => toast(error.message, true));
    more.disabled = false;
  } }, "Earlier runs");
  const chosen = new Set();
  const compare = h("a.button", { href: "#/runs", role: "link", "aria-disabled": "true" }, "Compare two");
  const picked = {
    has: (id) => chosen.has(id),
    toggle(id, box) {
      if (box.checked && chosen.size === 2) box.checked = false;
      else if (box.checked) chosen.add(id);
      else chosen.delete(id);
      const two = chosen.size === 2;
      compare.setAttribute("aria-disabled", String(!two));
      compare.href = two ? `#/compare/${[...chosen].map(encodeURIComponent).join("/")}` : "#/runs";
    },
  };
  let before = "";
  let stopped = false;

  async function page(from) {
    const found = await read(`/api/runs?limit=${PAGE}${from ? `&before=${encodeURIComponent(from)}` : ""}${status ? `&status=${status}` : ""}`);
    return found.runs || [];
  }

  async function load() {
    const runs = await page(before);
    if (!before) fill(list, runRows(runs, { picked, none: status ? "No run has this status." : "No runs yet. Start one under Flows, or ask in a chat." }));
    else if (runs.length) put(list, [runRows(runs, { picked })]);
    more.hidden = runs.length < PAGE;
    if (runs.length) before = runs[runs.length - 1].id;
    return runs;
  }

  let shownRuns = JSON.stringify(await load());
  const timer = window.setInterval(async () => {
    if (stopped || document.hidden || list.children.length > 1) return;
    const runs = await page("").catch(() => null);
    if (!runs || stopped || JSON.stringify(runs) === shownRuns) return;
    shownRuns = JSON.stringify(runs);
    before = runs.at(-1)?.id || "";
    fill(list, runRows(runs, { picked }));
  }, 4000);
  const select = h("select", { id: "status", onchange: () => { window.location.hash = select.value ? `#/runs?status=${select.value}` : "#/runs"; } },
    h("option", { value: "" }, "All"), ["running", "waiting", "finished", "unfinished", "failed", "cancelled", "interrupted"].map((each) => h("option", { value: each, selected: each === status }, statusText(each))));
  const element = h("div.page", {}, h("div.head", {}, h("h1", {}, "Runs"), h("div.tools", {}, h("label", { for: "status" }, "Status"), select, compare)), list, more);
  return { element, title: "Runs", leave: () => { stopped = true; window.clearInterval(timer); } };
}

/** What differs between two runs. */
export async function compareView(one, other) {
  const found = await read(`/api/compare?a=${encodeURIComponent(one)}&b=${encodeURIComponent(other)}`);
  const first = found.first_divergence;
  const card = (title, ...children) => h("section.card", {}, h("h2", {}, title), children);
  const same = !found.config?.length && !found.prompts?.length && !found.code?.length && !first;
  const element = h("div.page.wide", {}, h("p.crumb", {}, h("a", { href: "#/runs" }, "Runs")), h("h1", {}, "Two runs"),
    h("div.twins", {}, (found.runs || []).map(twin)),
    same ? h("p.lead", {}, "They do not differ.") : null,
    found.config?.length ? card("What was set", sides(found.config, "What was set")) : null,
    found.prompts?.length ? card("Prompts", sides(found.prompts, "Prompts")) : null,
    found.code?.length ? card("Code", h("p", {}, "The code of these flows is another."), pathList(found.code)) : null,
    first ? card("The first step that differs", h("p", {}, h("code", {}, first.step), `: ${first.what}`), sides(first.differences || [], "The outputs of that step")) : null);
  return { element, title: "Two runs" };
}

function twin(run) {
  const answer = run.outputs?.answer || run.outputs?.summary || "";
  return h("section.card", {}, h("h2", {}, h("a", { href: `#/runs/${encodeURIComponent(run.run_id)}` }, run.title || "Run"), " ", chip(run.status)),
    h("p.hint", {}, [run.run_id, seconds(run.usage?.seconds), run.usage?.model_calls ? count(run.usage.model_calls, "model call") : "", run.usage?.cost ? money(run.usage.cost) : ""].filter(Boolean).join(" · ")),
    answer ? h("p.did-text", {}, short(String(answer), 2000)) : null);
}

/** Paths in a list, of which the later ones are folded away. */
function pathList(paths) {
  const item = (path) => h("li", {}, h("code", {}, path));
  const rest = paths.slice(MOST_SIDES);
  return [h("ul", {}, paths.slice(0, MOST_SIDES).map(item)), rest.length ? h("details.fold", {}, h("summary", {}, count(rest.length, "more flow")), h("ul", {}, rest.map(item))) : null];
}

/** Values that differ, beside each other; `label` says of what. */
function sides(differences, label) {
  if (!differences.length) return null;
  const side = (value) => h("td", {}, h("pre", { tabIndex: 0, role: "group", "aria-label": "Value" }, typeof value === "string" ? value : shown(value)));
  const rows = (some) => some.map((each) => h("tr", {}, h("th", { scope: "row" }, each.prompt ? `${each.prompt}, line ${each.line}` : each.key || "All of it"), side(each.one), side(each.other)));
  const body = h("tbody", {}, rows(differences.slice(0, MOST_SIDES)));
  const rest = differences.slice(MOST_SIDES);
  const more = h("button", { type: "button", onclick: () => { put(body, rows(rest)); more.remove(); } }, `${count(rest.length, "more difference")}`);
  return [h("div.scroll", { tabIndex: 0, role: "region", "aria-label": label }, h("table.plain.sides", {},
    h("thead", {}, h("tr", {}, ["", "First", "Second"].map((each) => h(each ? "th" : "td", each ? { scope: "col" } : {}, each)))),
    body)), rest.length ? more : null];
}
