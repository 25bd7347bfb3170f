// A run as its events tell it: the fold that every view of a run draws from.

import { stepName } from "./format.js";

/** A run before its first event. */
export function newRun(id) {
  return { id, status: "queued", title: "", inputs: {}, started: null, begun: null, ended: null, steps: new Map(),
    question: null, notices: [], artifacts: [], round: 0, maxRounds: 0, reason: "", calls: 0, cost: 0, tokens: 0, limits: null, seen: 0 };
}

function stepOf(run, address, at) {
  let step = run.steps.get(address);
  if (!step) {
    step = { address, name: stepName(address), goal: "", state: "running", started: at, ended: null, calls: 0, tokens: 0, cost: 0, text: "", message: "" };
    run.steps.set(address, step);
  }
  return step;
}

const at = (event) => (event.at ? new Date(event.at).getTime() : Date.now());

function end(run, event, state) {
  const known = run.steps.has(event.address);
  const step = stepOf(run, event.address, at(event));
  step.state = state;
  step.ended ??= at(event);
  if (!known) step.started = run.clock ?? run.begun ?? step.ended;
  if (event.elapsed_ms) step.started = step.ended - event.elapsed_ms;
  step.text = "";
  return step;
}

function spend(run, step, usage) {
  if (!usage) return;
  const tokens = (usage.input_tokens || 0) + (usage.output_tokens || 0);
  for (const each of [run, step]) {
    each.tokens += tokens;
    each.cost += usage.cost || 0;
  }
}

function begin(run, event) {
  const step = stepOf(run, event.address, at(event));
  step.before = step.state === "done" ? { started: step.started, ended: step.ended } : null;
  step.state = "running";
  step.goal = event.goal || step.goal;
  step.started = at(event);
  step.ended = null;
  if (run.status === "queued") run.status = "running";
}

/** What is told while it happens, and in no row of the journal. */
function live(run, event) {
  if (event.state === "begun") {
    begin(run, event);
    run.steps.get(event.address).text = ""; // what was said while nobody listened is not told again
    return undefined;
  }
  const step = run.steps.get(event.address);
  if (event.state === "retrying") stepOf(run, event.address, at(event)).message = `Tried again: ${event.message}`;
  else if (event.state === "failed" && step && step.state !== "waiting") end(run, event, "failed").message = event.message || "";
  else if (step && step.state === "running") {
    end(run, event, "done");
    if (event.state === "retold" && step.before) Object.assign(step, step.before);
  }
  return undefined;
}

function stopAll(run) {
  for (const step of run.steps.values()) {
    if (step.state !== "running") continue;
    step.state = "stopped";
    step.ended ??= run.ended;
  }
}

/** Take an event in. The run is changed in place. The address of a flow without parts is empty. */
export function fold(run, event) {
  take(run, { address: "", ...event });
  if (!event.id) return run;
  run.seen = event.id;
  run.clock = at(event);
  return run;
}

function take(run, event) {
  switch (event.kind) {
    case "started":
      run.status = "running";
      run.title = event.title || run.title;
      run.inputs = event.inputs || run.inputs;
      run.started ??= at(event);
      run.begun = at(event);
      run.ended = null;
      run.reason = "";
      break;
    case "step_started":
      begin(run, event);
      break;
    case "progress":
      live(run, event);
      break;
    case "step_finished":
      spend(run, end(run, event, "done"), event.usage);
      if (event.address === run.question?.step) run.question = null;
      for (const each of event.artifacts || []) noteArtifact(run, each);
      break;
    case "step_failed":
      end(run, event, "failed").message = event.message || event.error || "";
      break;
    case "model_called":
      stepOf(run, event.address, at(event)).calls += 1;
      run.calls += 1;
      break;
    case "question":
      run.question = { ...event.question, step: event.question?.step || event.address };
      run.status = "waiting";
      run.ended = at(event);
      stepOf(run, event.address, at(event)).state = "waiting";
      break;
    case "answer":
      run.question = null;
      run.status = "running";
      run.begun = at(event);
      run.ended = null;
      stepOf(run, event.address, at(event)).state = "running";
      break;
    case "step_stopped":
      if (event.error !== "Waiting") end(run, event, "stopped");
      else stepOf(run, event.address, at(event)).state = "waiting";
      break;
    case "waiting":
    case "ended":
      run.status = event.status;
      run.reason = event.reason || "";
      run.ended = at(event);
      if (event.status === "waiting") break;
      run.question = null;
      stopAll(run);
      break;
    case "interrupted":
      if (event.error === "Waiting") break;
      run.status = "interrupted";
      run.ended = at(event);
      stopAll(run);
      break;
    case "text":
      stepOf(run, event.address, at(event)).text += event.text || "";
      break;
    case "round":
      run.round = event.round || run.round;
      run.maxRounds = event.max_rounds || run.maxRounds;
      break;
    case "notice":
      run.notices.push(event);
      break;
    case "artifact":
      noteArtifact(run, event);
      break;
    default:
  }
}

function noteArtifact(run, found) {
  if (!run.artifacts.some((each) => each.name === found.name)) run.artifacts.push(found);
}

/** Seconds that a step took, or takes until now. */
export const stepSeconds = (step) => ((step.ended ?? Date.now()) - step.started) / 1000;

/** The steps that hold no others, in the order in which they were first told of; `under` is how their addresses begin. */
export function leaves(run, under = "") {
  const all = [...run.steps.values()].filter((each) => each.address.startsWith(under));
  const holders = new Set(all.length > 1 ? [""] : []);
  for (const each of all) {
    const names = each.address.split("/");
    for (let many = 1; many < names.length; many += 1) holders.add(names.slice(0, many).join("/"));
  }
  return all.filter((each) => !holders.has(each.address));
}
