import { icon } from "./markup.js";
import { words } from "./words.js";

/** What is asked; not one of which the rest was asked for. */
const OPEN = ".row-block.open:has(loopwire-choices, form[data-block]):not(:has(.more.chosen))";

/**
 * The question that was open folds to its line when the answer to it is acknowledged, not when the model gets to it: what
 * moves under one's own hand is no jump. What the model leaves open unfolds when its run is over.
 */
export class QuestionFold {
  constructor(rows, over) {
    this.rows = rows;
    this.over = over;
  }

  /** Fold what is open until this run, which answers it by these words, is over. */
  async foldUntil(run, said) {
    const unfold = [...this.rows.querySelectorAll(OPEN)].map((row) => foldRow(row, said));
    await this.over(run);
    unfold.forEach((again) => again());
  }
}

/** Put the line of an answered question in the place of an open one; returns how to take it back. */
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
  // Its place is kept, so that the line does not break anew when it comes.
  if (row.querySelector("[data-change]")) change.textContent = words["block.change"];
  if (!label) [glyph, answer].forEach((each) => each.remove());
  row.classList.replace("open", "answered");
  row.replaceChildren(line);
  return () => {
    row.classList.replace("answered", "open");
    row.replaceChildren(...held);
  };
}

/** The words in which an answer is shown: the label that was clicked or typed, or what stands in the question's field. */
function answerLabel(row, said) {
  const wanted = said.trim().toLowerCase();
  const labels = [...row.querySelectorAll("[data-label]:not(.more)")].map(({ dataset }) => dataset.label);
  const field = row.querySelector("form[data-block] input");
  return labels.find((label) => label.toLowerCase() === wanted) ?? (field && field.value.trim() === said.trim() ? field.value : "");
}
