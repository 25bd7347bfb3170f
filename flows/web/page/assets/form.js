// A form made of a JSON schema: the inputs of a flow, or an answer of a shape.

import { h, freshId } from "./dom.js";

/** `{element, values(), fail(name, text)}` for the properties of an object's schema.
 * `values()` raises an `Error` that names the field whose text cannot be read. */
export function schemaForm(schema, given = {}) {
  const required = new Set(schema.required || []);
  const fields = Object.entries(schema.properties || {}).map(([name, own]) => field(name, plain(own, schema), required.has(name), given[name]));
  const element = h("div.fields", {}, fields.map((each) => each.element));
  return {
    element,
    empty: fields.length === 0,
    values() {
      const found = {};
      for (const each of fields) {
        each.fail("");
        let value;
        try {
          value = each.value();
        } catch (error) {
          each.fail(error.message);
          throw new Error(`${each.name}: ${error.message}`, { cause: error });
        }
        if (value !== undefined) found[each.name] = value;
        else if (required.has(each.name)) {
          each.fail("This is needed.");
          throw new Error(`${each.name} is needed.`);
        }
      }
      return found;
    },
    fail(name, text) {
      const one = fields.find((each) => each.name === name);
      if (one) one.fail(text);
      return Boolean(one);
    },
  };
}

/** A schema without references, and without the alternative of null. */
function plain(schema, root) {
  let found = schema;
  for (let depth = 0; depth < 8; depth += 1) {
    if (found.$ref) {
      const at = found.$ref.replace(/^#\//, "").split("/").reduce((node, key) => node?.[key.replace(/~1/g, "/").replace(/~0/g, "~")], root);
      found = { ...at, ...found, $ref: undefined };
      continue;
    }
    const choices = (found.anyOf || found.oneOf || []).filter((each) => each.type !== "null");
    if (choices.length !== 1) break;
    const { anyOf, oneOf, ...rest } = found;
    found = { ...choices[0], ...rest };
  }
  return found;
}

function field(name, schema, needed, given) {
  const id = freshId("field");
  const start = given !== undefined ? given : schema.default;
  const [input, value] = control(id, schema, start);
  const hint = schema.description ? h("p.hint", { id: `${id}-hint` }, schema.description) : null;
  const problem = h("p.problem", { id: `${id}-problem`, role: "alert" });
  input.setAttribute("aria-describedby", [hint ? `${id}-hint` : "", `${id}-problem`].filter(Boolean).join(" "));
  if (needed) input.setAttribute("aria-required", "true");
  const label = h("label", { for: id }, words(schema.title || name), needed ? h("span.needed", {}, " needed") : null);
  const check = input.type === "checkbox";
  return {
    name,
    element: h("div.field", { class: check ? "check" : "" }, check ? [input, label] : [label, input], hint, problem),
    value,
    fail(text) {
      problem.textContent = text;
      input.setAttribute("aria-invalid", text ? "true" : "false");
    },
  };
}

/** `snake_case` and titles as words: the port `sql_query` is "Sql query". */
export const words = (name) => {
  const text = name.replace(/_/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

function control(id, schema, start) {
  if (Array.isArray(schema.enum)) {
    const blank = schema.default === undefined ? [h("option", { value: "" }, "")] : [];
    const input = h("select", { id }, blank, schema.enum.map((each, place) => h("option", { value: String(place), selected: each === start }, String(each))));
    return [input, () => (input.value === "" ? undefined : schema.enum[Number(input.value)])];
  }
  if (schema.type === "boolean") {
    const input = h("input", { id, type: "checkbox", checked: Boolean(start) });
    return [input, () => input.checked];
  }
  if (schema.type === "integer" || schema.type === "number") {
    const input = h("input", { id, type: "text", inputMode: "decimal", value: start === undefined || start === null ? "" : String(start) });
    return [input, () => readNumber(input.value.trim(), schema.type)];
  }
  if (schema.type === "string") {
    const input = area(id, start ?? "", 2);
    return [input, () => (input.value === "" && start === undefined ? undefined : input.value)];
  }
  if (schema.type === "array" && schema.items?.type === "string") {
    const input = area(id, (start || []).join("\n"), 3);
    input.placeholder = "One on each line";
    return [input, () => {
      const lines = input.value.split("\n").map((each) => each.trim()).filter(Boolean);
      return lines.length || start !== undefined ? lines : undefined;
    }];
  }
  const input = area(id, start === undefined ? "" : JSON.stringify(start, null, 2), 4);
  input.classList.add("mono");
  input.placeholder = "JSON";
  return [input, () => readJson(input.value)];
}

function area(id, value, rows) {
  return h("textarea", { id, rows: Math.max(rows, Math.min(10, Math.ceil(value.length / 70))), value });
}

function readNumber(text, type) {
  if (text === "") return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`"${text}" is no number.`);
  if (type === "integer" && !Number.isInteger(value)) throw new Error(`"${text}" is no whole number.`);
  return value;
}

function readJson(text) {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`This is no JSON: ${error.message}`, { cause: error });
  }
}
