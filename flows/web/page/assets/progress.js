// The steps of a run as they happen: which agent, what it does, how long, what it cost.

import { h, fill } from "./dom.js";
import { count, money, seconds } from "./format.js";
import { stepSeconds } from "./run.js";

const MARK = { running: "", done: "✓", failed: "!", waiting: "?", stopped: "–" };
const SAID = { running: "running", done: "done", failed: "failed", waiting: "waits for you", stopped: "stopped" };
const LAST_WORDS = 220;

/** A list of steps; `update(steps)` draws it again, and touches only what changed. */
export function stepList(onOpen) {
  const list = h("ol.steps");
  const lines = new Map();
  list.update = (steps) => {
    const there = new Set();
    for (const [place, step] of steps.entries()) {
      there.add(step.address);
      let entry = lines.get(step.address);
      if (!entry) {
        entry = line(step, onOpen);
        lines.set(step.address, entry);
      }
      if (list.children[place] !== entry.element) list.insertBefore(entry.element, list.children[place] || null);
      entry.update(step);
    }
    for (const [address, entry] of lines) {
      if (there.has(address)) continue;
      entry.element.remove();
      lines.delete(address);
    }
  };
  return list;
}

function line(step, onOpen) {
  const mark = h("span.mark", { "aria-hidden": "true" });
  const state = h("span.unseen");
  const took = h("span.took");
  const goal = h("span.goal");
  const words = h("p.words");
  const path = step.address.split("/").map((each) => each.replace(/#1$/, ""));
  const name = h("span.agent", { title: step.address }, path.slice(-2).join(" › ") || step.name);
  const title = onOpen ? h("button.step-open", { type: "button", onclick: () => onOpen(step.address) }, name, goal) : h("span.step-open", {}, name, goal);
  const element = h("li", {}, mark, state, title, took, words);
  let before = "";
  return {
    element,
    update(now) {
      const text = now.text && !/^\s*[{\[`]/.test(now.text) ? now.text.slice(-LAST_WORDS) : now.state === "failed" ? now.message : "";
      const next = [now.state, now.goal, text, now.state === "running" ? Math.floor(stepSeconds(now) * 10) : now.ended].join("|");
      if (next === before) return;
      before = next;
      element.className = now.state;
      mark.textContent = MARK[now.state] || "";
      state.textContent = SAID[now.state] || "";
      took.textContent = now.state === "waiting" ? "" : seconds(stepSeconds(now));
      goal.textContent = now.goal || "";
      words.textContent = text;
    },
  };
}

/** What a run spent so far, of what it may: seconds, model calls, tokens, money. */
export function spentText(run, since) {
  const limits = run.limits || {};
  const of = (most, text) => (most ? ` of ${text(most)}` : "");
  const from = since ?? run.started;
  const parts = [];
  if (from) parts.push(`${seconds(((run.ended ?? Date.now()) - from) / 1000)}${of(limits.wall_time, seconds)}`);
  if (run.calls) parts.push(`${count(run.calls, "model call")}${of(limits.model_calls, String)}`);
  if (run.tokens) parts.push(`${count(run.tokens, "token")}${of(limits.tokens, String)}`);
  if (run.cost) parts.push(`${money(run.cost)}${of(limits.cost, money)}`);
  return parts.join(" · ");
}

/** A definition list of names and values that are there. */
export function facts(pairs) {
  return fill(h("dl.facts"), pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}
