// One run: what it does now, its question, its outputs, and each of its steps.

import { fill, h, toast } from "./dom.js";
import { exportPath, read, readOnceThere, runPath, send, sessionPath } from "./api.js";
import { answerView, openDialog, resultTable } from "./answer.js";
import { isLive, isOver, seconds, sentence, shown, spent, time } from "./format.js";
import { graphView } from "./graph.js";
import { facts, spentText, stepList } from "./progress.js";
import { code, markdown } from "./prose.js";
import { questionView } from "./question.js";
import { fold, leaves, newRun } from "./run.js";
import { follow } from "./stream.js";
import { chip } from "./runs.js";
import { openStep } from "./step.js";
import { explainForm } from "./explain.js";

const MOST_FIGURES = 12;
const TOLD = ["answer", "citations", "figures", "table", "summary", "sql", "code", "warnings", "confidence"];

export async function runView(id, query) {
  let record = await read(runPath(id));
  const flow = record.flow ? await read(`/api/flows/${encodeURIComponent(record.flow)}`).catch(() => null) : null;
  const run = newRun(id);
  const graph = flow?.graph?.nodes?.length ? graphView(flow.graph) : null;
  const steps = stepList((address) => openStep(id, address));
  const [status, spentBox, actions, question, result, problem] = [h("span.status"), h("p.hint.spent"), h("div.tools"), h("div"), h("div"), h("div")];
  const [notices, inputs, foot] = [h("div.notices"), h("div"), h("p.hint")];
  const isChat = record.flow?.startsWith("chat-") && (await read(sessionPath(id)).then(() => true, () => false));
  const chat = isChat ? h("p", {}, h("a", { href: `#/chat/${encodeURIComponent(id)}` }, "Open the conversation")) : null;
  let asked = null;
  let drawn = "";
  let asks = 0;

  // The latest request counts, whichever is answered first.
  async function refresh() {
    const mine = (asks += 1);
    const found = await readOnceThere(runPath(id), () => mine !== asks);
    if (!found) return;
    record = found;
    drawRecord();
    if (run.status === "waiting" && !run.question) run.question = record.question;
    drawResult();
    drawActions();
    draw();
  }

  const act = (path, body, done) => async () => {
    try {
      const found = await send(runPath(id, path), body);
      done?.(found);
    } catch (error) {
      toast(error.message, true);
    }
  };
  const open = (found) => {
    if (found.id && found.id !== id) window.location.hash = `#/runs/${encodeURIComponent(found.id)}`;
    else stream.again();
  };

  function drawActions() {
    const report = (record.artifacts || []).find((each) => each.what === "report");
    const button = (label, path, done, kind = "") => h("button", { type: "button", class: kind, onclick: act(path, {}, done) }, label);
    fill(actions,
      isLive(run.status) || run.status === "waiting" ? button("Stop", "cancel", refresh, "stop") : null,
      !isChat && ["interrupted", "failed", "cancelled", "unfinished"].includes(run.status) ? button("Resume", "resume", open) : null,
      isOver(run.status) ? button("Replay", "replay", showReplay) : null,
      report ? h("a.button", { href: `/page/files/${encodeURIComponent(id)}/${encodeURIComponent(report.name)}`, download: "" }, "Report") : null,
      run.started || record.started ? h("a.button", { href: exportPath(id), download: "" }, "Export") : null);
  }

  function draw() {
    if (status.dataset.status !== run.status) {
      status.dataset.status = run.status;
      fill(status, chip(run.status));
      drawActions();
    }
    spentBox.textContent = [spentText(run), run.maxRounds ? `round ${run.round} of ${run.maxRounds}` : run.round ? `round ${run.round}` : ""].filter(Boolean).join(" · ");
    steps.update(leaves(run));
    graph?.light(run);
    const now = run.status === "waiting" || run.question ? run.question : null;
    if (now?.id !== asked) {
      asked = now?.id ?? null;
      fill(question, now && !chat ? questionView(id, now) : null);
    }
    question.firstChild?.follow(isLive(run.status), run.begun);
    fill(problem, run.reason && !["finished", "waiting"].includes(run.status) ? h("p.caution", {}, sentence(run.reason)) : null);
    drawNotices();
  }

  /** The latest notices, each once; of a run that is over only alarms count. */
  function drawNotices() {
    const isLast = (each, place) => run.notices.findLastIndex((other) => other.text === each.text) === place;
    const latest = run.notices.filter(isLast).filter((each) => each.alarm || !isOver(run.status)).slice(-4);
    const told = latest.map((each) => each.text).join("\n");
    if (told === drawn) return;
    drawn = told;
    fill(notices, latest.map((each) => h("p", { class: each.alarm ? "caution" : "hint" }, each.text)));
  }

  /** What the run was asked, and when; a run that is queued knows neither. */
  function drawRecord() {
    run.limits = record.limits || null;
    const given = Object.entries(record.inputs || {}).filter(([, value]) => value !== "" && value !== null);
    fill(inputs, given.length ? facts(given.map(([name, value]) => [name.replace(/_/g, " "), typeof value === "string" ? value : h("code", {}, shown(value))])) : null);
    foot.textContent = [`Run ${id}`, time(record.started), spent(record.usage), seconds(record.usage?.seconds)].filter(Boolean).join(" · ");
  }

  function drawResult() {
    const outputs = record.outputs || {};
    const artifacts = record.artifacts || [];
    fill(result, Object.keys(outputs).length ? h("section.card", { "aria-labelledby": "result-title" }, h("h2", { id: "result-title" }, "Result"), outputsView(id, outputs, artifacts)) : null,
      Object.keys(outputs).length ? explainForm(id, outputs) : null,
      artifacts.length ? h("section", { "aria-labelledby": "files-title" }, h("h2", { id: "files-title" }, "Files"), fileList(id, artifacts)) : null);
  }

  let due = 0;
  const stream = follow(id, (event) => {
    fold(run, event);
    if (event.kind === "ended" || event.kind === "waiting" || (event.kind === "started" && !record.started)) refresh().catch((error) => toast(error.message, true));
    due ||= window.requestAnimationFrame(() => { due = 0; draw(); });
  });
  const clock = window.setInterval(() => { if (isLive(run.status)) draw(); }, 200);
  run.status = record.status;
  drawRecord();
  drawResult();
  draw();
  const element = h("div.page.wide", {}, h("p.crumb", {}, h("a", { href: "#/runs" }, "Runs"), flow ? [" / ", h("a", { href: `#/flows/${encodeURIComponent(record.flow)}` }, flow.title || record.flow)] : null),
    h("div.head", {}, h("h1", {}, record.title || flow?.title || record.flow || "Run", " ", status), actions), spentBox,
    inputs, chat, problem, question, notices, result,
    h("div.columns", {},
      h("section.card", { "aria-labelledby": "steps-title" }, h("h2", { id: "steps-title" }, "Steps"), h("div.steps-box", { tabIndex: 0, role: "group", "aria-label": "All steps" }, steps)),
      graph ? h("section.card.graph-card", { "aria-labelledby": "graph-title" }, h("h2", { id: "graph-title" }, "Graph"), graph.element) : null),
    foot);
  return {
    element, title: record.title || record.flow || "Run",
    shown: () => { if (query.get("step")) openStep(id, query.get("step")); },
    leave: () => { asks += 1; stream.stop(); window.clearInterval(clock); window.cancelAnimationFrame(due); },
  };
}

function showReplay(found) {
  if (found.same) toast("Replayed from its journal alone: it comes to the same.");
  else openDialog("The replay differs", h("p", {}, "At ", h("code", {}, found.step || ""), `: ${found.why || ""}`), found.problem ? code(shown(found.problem)) : null);
}

/** The outputs of a flow: an answer with its numbers and charts, and what else it gave. */
function outputsView(run, outputs, artifacts) {
  const reply = outputs.reply && typeof outputs.reply === "object" ? outputs.reply : outputs;
  const told = Object.fromEntries(TOLD.filter((name) => !isEmpty(reply[name])).map((name) => [name, reply[name]]));
  const left = Object.entries(outputs).filter(([name, value]) => !(told.answer && (TOLD.includes(name) || name === "reply")) && !isEmpty(value));
  const rest = left.map(([name, value]) => h("div.output", {}, h("h3", {}, name.replace(/_/g, " ")), valueView(run, value)));
  if (!told.answer) return rest;
  told.warnings = told.warnings || (Array.isArray(outputs.cautions) ? outputs.cautions : []);
  told.figures = told.figures || artifacts.filter((each) => each.what === "figure").map((each) => each.name).slice(0, MOST_FIGURES);
  return [answerView(run, told), rest.length ? h("details.fold", {}, h("summary", {}, "All that it gave"), rest) : null];
}

const isEmpty = (value) => value === undefined || value === null || value === "" || (Array.isArray(value) && !value.length);

/** Any output: a text as Markdown, a table as a table, the rest as JSON. */
function valueView(run, value) {
  if (typeof value === "string") return h("div.prose", {}, markdown(value, 4));
  if (value && typeof value === "object" && Array.isArray(value.columns) && Array.isArray(value.rows)) return resultTable(run, { total_rows: value.rows.length, ...value });
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return h("ul", {}, value.map((each) => h("li", {}, each)));
  if (isFlat(value)) return facts(Object.entries(value).map(([name, each]) => [name.replace(/_/g, " "), String(each)]));
  if (value && typeof value === "object") return code(shown(value));
  return h("p", {}, String(value));
}

/** Whether a value is an object of a few plain values. */
function isFlat(value) {
  if (!value || typeof value !== "object" || Array.isArray(value)) return false;
  const inner = Object.values(value);
  return inner.length <= 8 && inner.every((each) => each !== null && typeof each !== "object" && String(each).length < 120);
}

export function fileList(run, artifacts) {
  return h("ul.files", {}, artifacts.map((each) => h("li", {}, h("a", { href: `/page/files/${encodeURIComponent(run)}/${encodeURIComponent(each.name)}`, download: "" }, each.name),
    h("span.hint", {}, [each.what, each.description].filter(Boolean).join(": ").slice(0, 160)))));
}
