// A question that a run waits with, and its answer: an option, a text, a form, a command, or the end.

import { h, freshId } from "./dom.js";
import { runPath, send } from "./api.js";
import { resultTable } from "./answer.js";
import { chartView } from "./chart.js";
import { count } from "./format.js";
import { markdown } from "./prose.js";
import { schemaForm } from "./form.js";

const MANY = 12; // options from which on they can be searched

/** The panel of a question `{step, text, options, takes_text, schema}` of a run; `follow(isRunning, begun)`
 * opens and closes it with the run, which went on last at `begun`. */
export function questionView(run, question) {
  const id = freshId("question");
  const told = h("p.hint.told", { role: "status" });
  const holder = h("section.question", { "aria-labelledby": `${id}-title` });
  const controls = [];
  let sent = false;
  let sentAfter = null;
  let lastBegun = null;

  function enable(on) {
    controls.forEach((each) => { each.disabled = !on; });
    holder.classList.toggle("answered", !on);
  }

  async function answer(text) {
    sent = true;
    sentAfter = lastBegun;
    enable(false);
    told.textContent = "";
    try {
      await send(runPath(run, "answer"), { text, step: question.step });
    } catch (error) {
      sent = false;
      enable(true);
      told.textContent = error.message;
    }
  }

  // A run that carries a command out comes back to the same question, at times before it is drawn running.
  holder.follow = (isRunning, begun) => {
    lastBegun = begun;
    if (isRunning) {
      enable(false);
    } else if (!sent || begun !== sentAfter) {
      if (sent) holder.querySelectorAll("textarea").forEach((each) => { each.value = ""; });
      sent = false;
      enable(true);
    }
  };

  const button = (label, text, kind = "") => {
    const made = h("button", { type: "button", class: kind, onclick: () => answer(text) }, label);
    controls.push(made);
    return made;
  };
  const text = (question.text || "").replace(/(^|\n)> ?$/, "").trim();
  holder.append(h("h2", { id: `${id}-title` }, "A question for you"), ...contextView(run, question.context || {}),
    h("div.prose", {}, text ? markdown(text, 3) : h("p", {}, "What comes next?")));
  const options = question.options || [];
  const choices = options.map((each) => button(each.label, each.answer));
  if (choices.length > MANY) holder.append(choiceFilter(id, choices, controls));
  if (choices.length) holder.append(h("div.options", { role: "group", "aria-label": "Options" }, choices));
  const properties = question.schema?.properties;
  if (properties && Object.keys(properties).length && question.takes_text === false && !options.length) {
    const form = schemaForm(question.schema);
    const submit = button("Answer", "", "primary");
    submit.type = "submit";
    holder.append(h("form", {
      onsubmit: (event) => {
        event.preventDefault();
        let found;
        try {
          found = form.values();
        } catch (error) {
          told.textContent = error.message;
          return;
        }
        answer(JSON.stringify(found));
      },
    }, form.element, submit));
    submit.replaceWith(h("button.primary", { type: "submit" }, "Answer"));
  } else {
    holder.append(textForm(id, options.length > 0, answer, controls));
  }
  const quit = options.some((each) => each.answer === "q") ? null : button("End the run", "q", "quiet");
  holder.append(h("div.question-foot", {}, told, h("details", {}, h("summary", {}, "Commands"), h("p.hint", {},
    "A text that begins with a colon is a command to the session: ", h("code", {}, ":set PATH=VALUE"), ", ", h("code", {}, ":swap PATH=NAME"), ", ",
    h("code", {}, ":undo"), ", ", h("code", {}, ":show"), ", ", h("code", {}, ":help"), ".")), quit));
  return holder;
}

/** What was done before the question: its command, and what that came to. */
function contextView(run, context) {
  const made = context.observation;
  if (!made || typeof made !== "object") return [];
  const failed = made.kind === "error";
  return [
    h("p.did", {}, context.command ? h("code", {}, context.command) : null, failed ? " failed" : ""),
    made.text ? h("p", { class: failed ? "caution" : "did-text" }, made.text) : null,
    made.table?.columns?.length && made.table.rows?.length ? resultTable(run, made.table) : null,
    ...(made.figures || []).map((each) => chartView(run, each)),
  ].filter(Boolean);
}

/** A field that leaves only the choices in sight that have its text; Enter takes the last one left. */
function choiceFilter(id, choices, controls) {
  const told = h("p.hint", { role: "status" });
  const left = () => choices.filter((each) => !each.hidden);
  const input = h("input", {
    id: `${id}-filter`, type: "text", placeholder: `Find among ${choices.length} options`,
    oninput: () => {
      const wanted = input.value.trim().toLowerCase();
      for (const each of choices) each.hidden = !each.textContent.toLowerCase().includes(wanted);
      told.textContent = wanted ? count(left().length, "option") : "";
    },
    onkeydown: (event) => { if (event.key === "Enter" && left().length === 1) left()[0].click(); },
  });
  controls.push(input);
  return h("div.choice-filter", {}, h("label.unseen", { for: input.id }, "Find an option"), input, told);
}

function textForm(id, beside, answer, controls) {
  const input = h("textarea", { id: `${id}-text`, rows: 1, placeholder: beside ? "Or in your own words" : "Your answer, or feedback" });
  const submit = h("button.primary", { type: "submit" }, "Answer");
  controls.push(input, submit);
  const form = h("form.line", { onsubmit: (event) => { event.preventDefault(); answer(input.value); } },
    h("label.unseen", { for: `${id}-text` }, "Your answer"), input, submit);
  submitOnEnter(input, form);
  return form;
}

/** Enter sends, Shift+Enter begins a line; the field grows with its text. */
export function submitOnEnter(input, form) {
  const grow = () => {
    input.style.height = "auto";
    input.style.height = `${Math.min(220, input.scrollHeight + 2)}px`;
  };
  input.addEventListener("input", grow);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
}
