// Values as people read them.

const STATUS = {
  queued: "Queued", running: "Running", waiting: "Waiting for you", finished: "Finished",
  unfinished: "Unfinished", degraded: "Degraded", failed: "Failed", cancelled: "Stopped",
  interrupted: "Interrupted",
};
const TONE = {
  queued: "", running: "live", waiting: "warn", finished: "good", unfinished: "warn",
  degraded: "warn", failed: "bad", cancelled: "", interrupted: "warn",
};

export const statusText = (status) => STATUS[status] || status || "";
export const statusTone = (status) => TONE[status] || "";
export const isLive = (status) => status === "queued" || status === "running";
export const isOver = (status) => ["finished", "unfinished", "degraded", "failed", "cancelled"].includes(status);

/** Seconds: 0.24 s, 12 s, 3 min 5 s. */
export function seconds(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (value < 0.0995) return `${Math.max(1, Math.round(value * 1000))} ms`;
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 60) return `${Math.round(value)} s`;
  const whole = Math.round(value);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A number of a table; thousands apart from 10,000 on, as in answers. */
export function number(value) {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return Math.abs(value) >= 10000 ? value.toLocaleString("en-US") : String(value);
  if (Math.abs(value) < 1) return String(Number(value.toPrecision(4)));
  const text = value.toFixed(2).replace(/\.?0+$/, "");
  return Math.abs(value) >= 10000 ? Number(text).toLocaleString("en-US", { maximumFractionDigits: 2 }) : text;
}

/** A cell of a table; of a long text its beginning. */
export const cell = (value) => (value === null || value === undefined ? "" : typeof value === "number" ? number(value) : short(String(value), 300));

/** A text that begins with a capital. */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const short = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

export function bytes(value) {
  const rounded = (number) => String(Number(number.toFixed(number < 10 ? 1 : 0)));
  if (value < 1e3) return `${value} B`;
  if (value < 1e6) return `${rounded(value / 1e3)} kB`;
  if (value < 1e9) return `${rounded(value / 1e6)} MB`;
  return `${rounded(value / 1e9)} GB`;
}

export function money(value) {
  if (value === null || value === undefined) return "";
  if (value === 0) return "$0";
  return value < 0.01 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`;
}

export const count = (value, one, more = `${one}s`) => `${Number(value).toLocaleString("en-US")} ${value === 1 ? one : more}`;

/** A time of day, with its date where it is not today's. `at` is ISO 8601. */
export function time(at) {
  if (!at) return "";
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const clock = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === new Date().toDateString()) return clock;
  return `${date.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" })}, ${clock}`;
}

/** The last name of a step's address, without its counter: `sql` of `Executor#2/sql#1`. A flow without
 * parts is one step, whose address is empty. */
export const stepName = (address) => address.split("/").pop().replace(/#\d+$/, "") || "All of it";

/** What a run cost, in a few words: model calls, tokens, money. */
export function spent(usage) {
  if (!usage) return "";
  const parts = [];
  if (usage.model_calls) parts.push(count(usage.model_calls, "model call"));
  const tokens = (usage.input_tokens || 0) + (usage.output_tokens || 0);
  if (tokens) parts.push(count(tokens, "token"));
  if (usage.cost) parts.push(money(usage.cost));
  return parts.join(" · ");
}

/** A value as JSON on several lines; a text as it is. */
export const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
