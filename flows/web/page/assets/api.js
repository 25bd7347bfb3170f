// The JSON API of the same address; docs/web.md and docs/serve.md describe it.

const MOST_ALLOWED = 12;
const STRANGER = "The server does not know this browser. Open the address that `flows web` printed when it started.";

/** What the server refused: what was wrong, where, and what is allowed. */
export class Refused extends Error {
  constructor(status, error) {
    const what = error.what || `The server answered ${status}.`;
    const allowed = [error.allowed || []].flat();
    const shown = allowed.length > MOST_ALLOWED ? [...allowed.slice(0, MOST_ALLOWED), "…"] : allowed;
    super(shown.length ? `${what} Allowed: ${shown.join(", ")}` : what);
    this.status = status;
    this.where = error.where || "";
  }
}

/** The server cannot be reached; it may come back. */
export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached. Is `flows web` still running?");
  }
}

export async function call(method, path, body, headers = {}) {
  const request = { method, headers: { Accept: "application/json", ...headers }, credentials: "same-origin" };
  if (body instanceof FormData) request.body = body;
  else if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(path, request);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable();
  }
  const text = await response.text();
  let found = {};
  try {
    found = text ? JSON.parse(text) : {};
  } catch {
    found = { error: { what: `The server answered ${response.status}, and not with JSON.` } };
  }
  if (response.status === 401) throw new Refused(401, { what: STRANGER });
  if (!response.ok) throw new Refused(response.status, found.error || {});
  return found;
}

export const read = (path) => call("GET", path);

const PATIENCE = 1000;

/** Reads as soon as the server can be reached; null where `isOver()` says that nobody wants it any more. */
export async function readOnceThere(path, isOver) {
  while (!isOver()) {
    try {
      const found = await read(path);
      return isOver() ? null : found;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      await new Promise((done) => { window.setTimeout(done, PATIENCE); });
    }
  }
  return null;
}

export const send = (path, body, headers) => call("POST", path, body === undefined ? {} : body, headers);

const name = encodeURIComponent;
export const runPath = (id, ...rest) => ["/api/runs", name(id), ...rest.map(name)].join("/");
export const sessionPath = (id, ...rest) => ["/api/sessions", name(id), ...rest.map(name)].join("/");
export const artifactPath = (id, artifact, query = "") => `${runPath(id, "artifacts", artifact)}${query}`;

/** All of a run as an archive, with a page to read it by. */
export const exportPath = (id) => `/page/exports/${name(id)}`;

/** The answers of a conversation as one HTML page. */
export const reportPath = (id) => `/page/reports/${name(id)}`;

/** A key under which a request that is sent twice is done once. */
export function freshKey() {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (each) => each.toString(16).padStart(2, "0")).join("");
}
