// The connections that the streams of all windows of a browser take together. A browser has six to one
// address; streams take at most four, so that requests always find one. Each is a lock, which the browser
// gives back by itself when a window is closed or crashes.

const SLOTS = 4;
const TURN = 1000; // milliseconds that a window keeps a slot for which others wait

const nameOf = (place) => `flows-stream-${place}`;

/** Calls `open` as soon as there is a slot. While other windows wait for one they take turns: `close` is
 * called at the end of a turn, and `open` at the begin of the next. Returns a function that gives the slot
 * back, after which neither is called. */
export function takeSlot(open, close) {
  const leaving = new AbortController();
  if (!navigator.locks) {
    open();
    return () => {};
  }
  const { signal } = leaving;
  (async () => {
    while (!signal.aborted) {
      const name = await leastWanted();
      await navigator.locks.request(name, { signal }, async () => {
        if (signal.aborted) return;
        open();
        do await turn(signal);
        while (!signal.aborted && !(await isWanted(name)));
        if (!signal.aborted) close();
      }).catch((error) => { if (error.name !== "AbortError") throw error; });
    }
  })();
  return () => leaving.abort();
}

/** Until a turn is over, or the signal is given. */
function turn(signal) {
  return new Promise((done) => {
    const timer = window.setTimeout(done, TURN);
    signal.addEventListener("abort", () => {
      window.clearTimeout(timer);
      done();
    }, { once: true });
  });
}

async function leastWanted() {
  const { held, pending } = await navigator.locks.query();
  const many = (name) => [...held, ...pending].filter((each) => each.name === name).length;
  const names = Array.from({ length: SLOTS }, (_, place) => nameOf(place));
  return names.reduce((one, other) => (many(other) < many(one) ? other : one));
}

const isWanted = async (name) => (await navigator.locks.query()).pending.some((each) => each.name === name);
