// The events of a run: each row of its journal once, in order, through lost connections and restarts.

import { read, runPath, Unreachable } from "./api.js";
import { takeSlot } from "./slot.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 5000;
const AWAY = "Connection lost. It is tried again.";
const troubles = new Map(); // what keeps each stream from its events now

function tellConnection() {
  const box = document.getElementById("connection");
  const [text = ""] = troubles.values();
  if (box.textContent !== text) box.textContent = text;
}

/** Why the events of a run do not come: the server is away, or it does not know the run, or the browser. */
async function troubleOf(run) {
  try {
    await read(runPath(run));
    return AWAY;
  } catch (error) {
    return error instanceof Unreachable ? AWAY : error.message;
  }
}

/** Calls `onEvent` with each event of a run, those before too; returns `{stop, again}`.
 *
 * The id of an event is the number of its row in the journal, so after a lost connection the stream
 * goes on behind the last that was seen. Events without an id are live only. When the run is over the
 * stream ends; `again` looks for more, for a run that is over can be resumed. A window that nobody sees
 * has no connection. */
export function follow(run, onEvent) {
  const own = {};
  let last = 0;
  let source = null;
  let giveBack = null;
  let timer = 0;
  let wait = FIRST_WAIT;
  let over = false;
  let asked = false;
  let ended = false;

  function setTrouble(text) {
    if (text) troubles.set(own, text);
    else troubles.delete(own);
    tellConnection();
  }

  function take(message) {
    wait = FIRST_WAIT;
    const event = JSON.parse(message.data);
    const id = Number(event.id || 0);
    if (id && id <= last) return;
    if (id) last = id;
    over = event.kind === "ended" && event.status !== "waiting";
    onEvent(event);
  }

  function open() {
    asked = false;
    source = new EventSource(`/api/runs/${encodeURIComponent(run)}/events?after=${last}`);
    source.onopen = () => setTrouble("");
    source.onmessage = take;
    source.onerror = () => {
      close();
      if (over && !asked) return rest();
      if (!over) {
        if (!troubles.has(own)) setTrouble(AWAY);
        troubleOf(run).then((text) => { if (!ended && !source) setTrouble(text); });
      }
      timer = window.setTimeout(open, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT);
    };
  }

  function close() {
    window.clearTimeout(timer);
    if (!source) return;
    source.onmessage = null;
    source.close();
    source = null;
  }

  function start() {
    if (!giveBack && !document.hidden) giveBack = takeSlot(open, close);
  }

  function rest() {
    giveBack?.();
    giveBack = null;
    close();
  }

  function again() {
    if (ended || !over) return;
    asked = Boolean(source);
    start();
  }

  function onVisible() {
    if (document.hidden) rest();
    else if (!over) start();
  }

  window.addEventListener("focus", again);
  document.addEventListener("visibilitychange", onVisible);
  start();
  return {
    again,
    stop() {
      ended = true;
      window.removeEventListener("focus", again);
      document.removeEventListener("visibilitychange", onVisible);
      rest();
      setTrouble("");
    },
  };
}
