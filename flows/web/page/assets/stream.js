// The events of a run: each row of its journal once, in order, through lost connections and restarts.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 5000;
let lost = 0;

function tellConnection() {
  const box = document.getElementById("connection");
  const text = lost > 0 ? "Connection lost. It is tried again." : "";
  if (box.textContent !== text) box.textContent = text;
}

/** Calls `onEvent` with each event of a run, those before too; returns `{stop, again}`.
 *
 * The id of an event is the number of its row in the journal, so after a lost connection the stream
 * goes on behind the last that was seen. Events without an id are live only. When the run is over the
 * stream ends; `again` looks for more, for a run that is over can be resumed. */
export function follow(run, onEvent) {
  let last = 0;
  let source = null;
  let timer = 0;
  let wait = FIRST_WAIT;
  let away = false;
  let over = false;
  let ended = false;

  function setAway(now) {
    if (now === away) return;
    away = now;
    lost += now ? 1 : -1;
    tellConnection();
  }

  function take(message) {
    if (ended) return;
    wait = FIRST_WAIT;
    const event = JSON.parse(message.data);
    const id = Number(event.id || 0);
    if (id && id <= last) return;
    if (id) last = id;
    over = event.kind === "ended" && event.status !== "waiting";
    onEvent(event);
  }

  function open() {
    if (document.hidden) return;
    source = new EventSource(`/api/runs/${encodeURIComponent(run)}/events?after=${last}`);
    source.onopen = () => setAway(false);
    source.onmessage = take;
    source.onerror = () => {
      source.close();
      source = null;
      if (ended || over) return;
      setAway(true);
      timer = window.setTimeout(open, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT);
    };
  }

  function again() {
    if (ended || source || !over) return;
    open();
  }

  // A browser has few connections to one address, for all of its tabs: one that nobody sees has none.
  function onVisible() {
    if (ended || over) return;
    window.clearTimeout(timer);
    if (!document.hidden) {
      if (!source) open();
    } else if (source) {
      source.close();
      source = null;
    }
  }

  window.addEventListener("focus", again);
  document.addEventListener("visibilitychange", onVisible);
  open();
  return {
    again,
    stop() {
      ended = true;
      window.removeEventListener("focus", again);
      document.removeEventListener("visibilitychange", onVisible);
      window.clearTimeout(timer);
      if (source) source.close();
      setAway(false);
    },
  };
}
