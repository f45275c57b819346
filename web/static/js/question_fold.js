import { icon } from "./icon.js";
import { words } from "./words.js";

/** Open questions, except one whose further options were requested. */
const OPEN = ".row-block.open:has(loopwire-choices, form[data-block]):not(:has(.more.chosen))";

/**
 * Folds an open question to one line when its answer is acknowledged, not when the model reads it: the row then moves
 * right after the click. A question that the model leaves open unfolds when its run is over.
 */
export class QuestionFold {
  constructor(rows, over) {
    this.rows = rows;
    this.over = over;
  }

  /** Fold the open questions, which these words answer, until this run is over. */
  async foldUntil(run, said) {
    const unfold = [...this.rows.querySelectorAll(OPEN)].map((row) => foldRow(row, said));
    await this.over(run);
    unfold.forEach((again) => again());
  }
}

/** Replace an open question by the line of an answered one; returns the function that undoes it. */
function foldRow(row, said) {
  const held = [...row.childNodes];
  const legend = row.querySelector("legend, label");
  const label = answerLabel(row, said);
  const line = Object.assign(document.createElement("p"), { className: "answered" });
  const glyph = icon("check", 16);
  const [question, answer, change] = ["span", "b", "i"].map((name) => document.createElement(name));
  line.append(glyph, " ", question, "\u2002", answer, "\u2002", change);
  question.textContent = legend.firstChild.textContent.trim();
  answer.textContent = label;
  // The link keeps its place, so the line does not wrap anew when the server's row arrives.
  if (row.querySelector("[data-change]")) change.textContent = words["block.change"];
  if (!label) [glyph, answer].forEach((each) => each.remove());
  row.classList.replace("open", "answered");
  row.replaceChildren(line);
  return () => {
    row.classList.replace("answered", "open");
    row.replaceChildren(...held);
  };
}

/** The text of an answer: the label that was clicked or typed, or the text of the question's field. */
function answerLabel(row, said) {
  const wanted = said.trim().toLowerCase();
  const labels = [...row.querySelectorAll("[data-label]:not(.more)")].map(({ dataset }) => dataset.label);
  const field = row.querySelector("form[data-block] input");
  return labels.find((label) => label.toLowerCase() === wanted) ?? (field && field.value.trim() === said.trim() ? field.value : "");
}
