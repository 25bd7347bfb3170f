// The chat: sessions, their turns, and the turn that is being answered.

import { fill, h, toast } from "./dom.js";
import { call, exportPath, freshKey, read, readOnceThere, reportPath, runPath, send, sessionPath } from "./api.js";
import { answerView } from "./answer.js";
import { bytes, count, isLive, short } from "./format.js";
import { spentText, stepList } from "./progress.js";
import { submitOnEnter } from "./question.js";
import { fold, leaves, newRun } from "./run.js";
import { follow } from "./stream.js";

const KINDS = { csv: "CSV", parquet: "Parquet", json: "JSON", excel: "Excel", sqlite: "SQLite", duckdb: "DuckDB" };
const MOST_SAID = 2000; // characters of what a person said; all of it is in the steps
const GO_ON = "Ask the next question";
const SAMPLE = "/assets/sample_sales.csv";
const SAY = /^say#\d+$/;
const HEAR = /^hear#\d+$/;

/** The list of sessions at the side; `current` is the one that is open. */
export async function chatList(box, current) {
  const found = (await read("/api/sessions")).sessions || [];
  fill(box, found.length ? h("p.side-title", {}, "Sessions", h("a", { href: "#/chat" }, "New")) : null, h("ul", {}, found.map((each) => h("li", {}, h("a", { href: `#/chat/${encodeURIComponent(each.id)}`, "aria-current": each.id === current ? "page" : null },
    h("span", {}, each.title || "New session"), isLive(each.status) ? h("span.dot", { role: "img", "aria-label": "is working" }) : null)))));
}

export async function chatView(id) {
  return id ? sessionView(id) : startView();
}

/** A new session: data, and the first question. */
async function startView() {
  const offered = await read("/api/sessions");
  const given = offered.data || [];
  const asks = h("div.suggestions", { role: "group", "aria-label": "What you can ask" });
  const chosen = uploads(offered.limits || {}, suggest, !given.length);
  let key = freshKey();
  const composer = composerView("Ask something of your data", async (text) => {
    if (chosen.busy()) throw new Error("A file is still being read.");
    if (!chosen.ids().length && !given.length) throw new Error("There is no data yet: drop a file above.");
    let session;
    try {
      session = await send("/api/sessions", { files: chosen.ids(), question: text }, { "Idempotency-Key": key });
    } catch (error) {
      if (error.status !== undefined) key = freshKey();
      throw error;
    }
    window.location.hash = `#/chat/${encodeURIComponent(session.id)}`;
  });
  const element = h("div.chat.start", {}, h("div.hello", {}, h("h1", {}, "Ask your data"),
    h("p.lead", {}, "Every number of an answer is a link to the cell and the query that it comes from. Nothing leaves this machine unless you chose a model that is elsewhere."),
    given.length ? h("p.given", {}, "Open here: ", given.map((each) => h("span.chip", {}, each))) : null,
    chosen.element, asks, recent(offered.sessions || [])), composer.element);

  /** Show questions that can be asked of what is there now; a press asks one. */
  function suggest(questions) {
    fill(asks, questions.length ? h("p.hint", {}, "You can ask, for example") : null, questions.map((each) => h("button", { type: "button", onclick: () => composer.send(each) }, each)));
  }

  if (given.length) read("/api/suggestions").then((found) => { if (!chosen.ids().length) suggest(found.questions); }, () => {}); // they are only a help
  return { element, title: "Chat", shown: () => composer.focus(), leave: chosen.leave };
}

/** The latest conversations, where the page is too narrow for a side. */
function recent(sessions) {
  if (!sessions.length) return null;
  return h("nav.recent", { "aria-label": "Earlier sessions" }, h("p.side-title", {}, "Earlier sessions"), h("ul", {}, sessions.slice(0, 5).map((each) => h("li", {}, h("a", { href: `#/chat/${encodeURIComponent(each.id)}` }, each.title || "New session")))));
}

/** The drop zone and the files in it. `onChange(questions)` is told what can be asked of the first;
 * `withSample` offers a file to try the page with where there is none. */
function uploads(limits, onChange, withSample) {
  const files = new Map();
  const list = h("ul.uploads");
  const input = h("input.unseen", { type: "file", id: "upload", multiple: true, onchange: () => add(input.files) });
  const sample = h("p.hint", { hidden: !withSample }, "No file at hand? ", h("button.link", { type: "button", onclick: () => bringSample() }, "Try it with sample sales"));
  const most = limits.bytes ? `up to ${bytes(limits.bytes)} each` : "";
  const kinds = (limits.kinds || []).map((each) => KINDS[each] || each).join(", ");
  const zone = h("div.drop", {}, h("p", {}, h("label.button", { for: "upload" }, "Choose files"), " or drop them here"), input, h("p.hint", {}, [kinds, most].filter(Boolean).join("; ")), sample);
  const element = h("div", {}, zone, list);

  function add(given) {
    for (const file of given) start(file);
    input.value = "";
  }

  async function start(file) {
    const key = freshKey();
    const state = h("span.hint", { role: "status" }, "It is being read…");
    const remove = h("button.quiet", { type: "button", "aria-label": `Remove ${file.name}`, onclick: () => { files.delete(key); line.remove(); tell(); } }, "×");
    const line = h("li", {}, h("span.name", {}, file.name), state, remove);
    list.append(line);
    const entry = { id: null, busy: true };
    files.set(key, entry);
    try {
      if (limits.bytes && file.size > limits.bytes) throw new Error(`It has ${bytes(file.size)}; allowed are ${bytes(limits.bytes)}.`);
      const body = new FormData();
      body.append("file", file, file.name);
      const found = await call("POST", "/api/uploads", body);
      entry.id = found.id;
      entry.questions = found.questions;
      const tables = (found.tables || []).map((each, place) => [place ? "; " : "", h("bdi", {}, each.name), `: ${count(each.rows, "row")}, ${count(each.columns.length, "column")}`]);
      fill(state, tables.length ? tables : bytes(file.size));
      line.classList.add("good");
      tell();
    } catch (error) {
      files.delete(key);
      state.textContent = error.message;
      state.setAttribute("role", "alert");
      line.classList.add("bad");
    } finally {
      entry.busy = false;
    }
  }

  function tell() {
    sample.hidden = !withSample || files.size > 0;
    onChange([...files.values()].find((each) => each.id)?.questions || []);
  }

  async function bringSample() {
    sample.hidden = true;
    try {
      const found = await fetch(SAMPLE);
      if (!found.ok) throw new Error(`The server answered ${found.status}.`);
      await start(new File([await found.blob()], "sample_sales.csv"));
    } catch (error) {
      toast(error.message, true);
      tell();
    }
  }

  const over = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.add("over");
  };
  const out = (event) => { if (!event.relatedTarget) zone.classList.remove("over"); };
  const drop = (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    add(event.dataTransfer.files);
  };
  const handlers = { dragover: over, dragleave: out, drop };
  for (const [name, handler] of Object.entries(handlers)) document.addEventListener(name, handler);
  return {
    element,
    ids: () => [...files.values()].map((each) => each.id).filter(Boolean),
    busy: () => [...files.values()].some((each) => each.busy),
    leave: () => { for (const [name, handler] of Object.entries(handlers)) document.removeEventListener(name, handler); },
  };
}

/** The field at the foot; `onSend(text)` may raise an error, which is said. `set(text, closed)` says what
 * the field is for, or why nothing can be sent now. */
function composerView(placeholder, onSend) {
  const input = h("textarea", { id: "say", rows: 1, placeholder });
  const submit = h("button.primary", { type: "submit", "aria-label": "Send" }, "Send");
  const told = h("p.problem", { role: "alert" });
  let closed = false;
  let sending = false;

  function isSending(now) {
    sending = now;
    submit.disabled = sending || closed;
  }

  const form = h("form.composer", {
    onsubmit: async (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (!text || sending) return;
      told.textContent = closed ? `${input.placeholder}.` : "";
      if (closed) return;
      isSending(true);
      try {
        await onSend(text);
        input.value = "";
        input.style.height = "auto";
      } catch (error) {
        told.textContent = error.message;
      } finally {
        isSending(false);
      }
    },
  }, told, h("div.composer-line", {}, h("label.unseen", { for: "say" }, "Your question"), input, submit));
  submitOnEnter(input, form);
  return {
    element: form,
    focus: () => input.focus({ preventScroll: true }),
    send(text) {
      input.value = text;
      form.requestSubmit();
    },
    set(text, isClosed) {
      if (closed && !isClosed) told.textContent = "";
      closed = isClosed;
      input.placeholder = text;
      isSending(sending);
    },
  };
}

/** A session: its turns as the journal tells them, and a field for the next. */
async function sessionView(id) {
  const session = await read(sessionPath(id));
  const log = h("div.log", { role: "log", "aria-label": "Conversation" });
  const run = newRun(id);
  run.limits = (await read(runPath(id))).limits || null;
  const turns = [];
  let stopped = false;
  let answering = false;

  const say = (text) => send(sessionPath(id, "turns"), { text });
  const composer = composerView(GO_ON, async (text) => {
    await say(text);
    atEnd = true;
  });
  const back = h("button.to-end", { type: "button", hidden: true, onclick: () => { atEnd = true; scroll(); } }, "To the end");
  const element = h("div.chat", {}, h("header.chat-head", {}, h("h1", {}, session.title || "New session"), h("p.hint", {}, (session.data || []).join(", "), " · ", h("a", { href: reportPath(id), download: "" }, "Report"), " · ", h("a", { href: exportPath(id), download: "", title: "All files of the session" }, "Export"), " · ", h("a", { href: `#/runs/${encodeURIComponent(id)}` }, "All steps"))), log, back, composer.element);
  let atEnd = true;
  const scroller = document.scrollingElement;
  const onScroll = () => {
    atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
    back.hidden = atEnd;
  };
  window.addEventListener("scroll", onScroll, { passive: true });
  const scroll = () => { if (atEnd) scroller.scrollTop = scroller.scrollHeight; };

  /** An answer is read from its beginning, by whoever was at the end. */
  function showTurn(turn) {
    if (!atEnd) return;
    turn.element.scrollIntoView();
    onScroll();
  }

  function newTurn(text) {
    turns.at(-1)?.close();
    const turn = turnView(run, id, text, say, turns.length + 1);
    turn.choose(turns.at(-1)?.options || []);
    turns.push(turn);
    log.append(turn.element);
    return turn;
  }

  async function reply(address) {
    const turn = turns.at(-1) || newTurn("");
    const found = await readOnceThere(sessionPath(id, "turns", address.split("#").pop()), () => stopped);
    if (!found) return;
    turn.answer(found);
    turns[turns.indexOf(turn) + 1]?.choose(turn.options);
    draw(); // the field is open as soon as the answer is seen
    if (turn === turns.at(-1)) showTurn(turn);
  }

  async function resume() {
    await send(sessionPath(id, "resume"));
    stream.again();
  }

  function take(event) {
    fold(run, event);
    if (event.kind === "started" && !event.resumed && event.inputs?.question) newTurn(event.inputs.question);
    else if (event.kind === "answer" && HEAR.test(event.address)) newTurn(event.text);
    else if (event.kind === "step_finished" && SAY.test(event.address)) reply(event.address).catch((error) => toast(error.message, true));
    due ||= window.requestAnimationFrame(draw);
  }

  let due = 0;
  let told = "";
  function draw() {
    window.cancelAnimationFrame(due);
    due = 0;
    if (told !== run.status) {
      told = run.status;
      chatList(document.getElementById("sessions"), id).catch(() => {});
    }
    const turn = turns.at(-1);
    answering = isLive(run.status) && Boolean(turn) && !turn.answered;
    turn?.update();
    const over = !isLive(run.status) && run.status !== "waiting";
    if (answering) composer.set("It is being answered", true);
    else if (over && run.seen > 0) composer.set(turn && !turn.answered ? "Go on with the question above first" : "This session is over", true);
    else composer.set(GO_ON, false);
    if (turn && !turn.answered) {
      if (over) turn.end(run, resume);
      else turn.goOn();
    }
    scroll();
  }
  const stream = follow(id, take);
  const clock = window.setInterval(() => { if (isLive(run.status)) draw(); }, 200);
  return {
    element, title: session.title || "Chat",
    shown: () => composer.focus(),
    leave: () => {
      stopped = true;
      stream.stop();
      window.clearInterval(clock);
      window.cancelAnimationFrame(due);
      window.removeEventListener("scroll", onScroll);
    },
  };
}

/** What a person said, how it is worked at, and what it came to. */
function turnView(run, id, text, say, number) {
  const began = run.clock ?? Date.now();
  const steps = stepList();
  const spent = h("span");
  const agent = h("span.now", {}, "Working");
  const halt = h("button.stop", { type: "button", onclick: () => send(sessionPath(id, "stop")).catch((error) => toast(error.message, true)) }, "Stop");
  const work = h("details.work", { open: true }, h("summary", {}, agent, spent), steps);
  const working = h("div.working", {}, work, halt);
  const reply = h("div.reply");
  const said = h("p", {}, short(text, MOST_SAID));
  const element = h("article.turn", {}, h("div.said", {}, said), working, reply);
  const isWorking = (now) => {
    working.classList.toggle("over", !now);
    halt.hidden = !now;
  };
  const turn = {
    element,
    answered: false,
    over: false,
    at: null,
    options: [],
    /** Show the option that was chosen from those of the turn before, not its number. */
    choose(options) {
      const chosen = /^\s*\d+\s*$/.test(text) ? options[Number(text) - 1] : null;
      if (chosen) fill(said, chosen.label);
    },
    update() {
      const mine = leaves(run, `turn#${number}/`);
      steps.update(mine);
      const now = mine.filter((each) => each.state === "running").at(-1);
      const over = turn.answered || turn.over;
      agent.textContent = over ? count(mine.length, "step") : now ? nowText(now) : "Working";
      const sum = (name) => mine.reduce((total, each) => total + each[name], 0);
      spent.textContent = spentText({ limits: run.limits, calls: sum("calls"), tokens: sum("tokens"), cost: sum("cost"), ended: over ? turn.at : null }, began);
    },
    answer(found) {
      turn.at = run.steps.get(`say#${found.turn}`)?.ended ?? Date.now();
      turn.answered = true;
      turn.options = found.clarification?.options || [];
      isWorking(false);
      if (!work.dataset.touched) work.open = false;
      turn.update();
      fill(reply, replyParts(id, found, say));
    },
    /** The run is over without an answer to this; `resume()` goes on with it. */
    end(now, resume) {
      if (turn.over) return;
      turn.over = true;
      turn.at = now.ended ?? Date.now();
      isWorking(false);
      turn.update();
      const again = h("button", { type: "button", onclick: async () => {
        again.disabled = true;
        try {
          await resume();
        } catch (error) {
          again.disabled = false;
          toast(error.message, true);
        }
      } }, "Go on with it");
      fill(reply, h("p.caution", {}, now.status === "cancelled" || now.status === "interrupted" ? "Stopped. " : "This could not be answered. ", now.reason || ""), h("p", {}, again));
    },
    /** The run goes on, here or elsewhere. */
    goOn() {
      if (!turn.over) return;
      turn.over = false;
      turn.at = null;
      isWorking(true);
      fill(reply);
    },
    close() {
      element.querySelectorAll(".options button").forEach((each) => { each.disabled = true; });
    },
  };
  work.querySelector("summary").addEventListener("click", () => { work.dataset.touched = "yes"; });
  return turn;
}

function nowText(step) {
  const names = step.address.split("/").map((each) => each.replace(/#\d+$/, ""));
  return [names.length > 1 ? names[names.length - 2] : names[0], step.goal || names.at(-1)].filter(Boolean).join(": ");
}

function replyParts(run, found, say) {
  const parts = [];
  const options = found.clarification?.options || [];
  if (found.question_read && ["answered", "partly"].includes(found.status)) parts.push(h("p.read", {}, "Read as: ", found.question_read));
  if (found.status === "failed") parts.push(h("p.caution", {}, found.answer));
  else parts.push(answerView(run, found));
  if (options.length) {
    const buttons = options.map((each, place) => h("button", { type: "button", onclick: async () => {
      buttons.forEach((one) => { one.disabled = true; });
      try {
        await say(String(place + 1));
      } catch (error) {
        buttons.forEach((one) => { one.disabled = false; });
        toast(error.message, true);
      }
    } }, each.label));
    parts.push(h("div.options", { role: "group", "aria-label": "What is meant" }, buttons));
  }
  if (found.confidence !== null && found.confidence !== undefined && found.confidence < 0.7 && !options.length) parts.push(h("p.hint", {}, `Confidence ${Math.round(found.confidence * 100)} %`));
  return parts;
}
