import { words } from "./words.js";

/** The row of a message that is not in the log yet: its pictures and its text. */
export function messageRow(text, photos) {
  const row = document.createElement("li");
  if (photos.length) row.append(pictureBox(photos));
  if (text) row.append(Object.assign(document.createElement("p"), { className: "bubble", textContent: text }));
  return row;
}

/** Show a line below a message, with buttons; it replaces the line or the error card that was there. */
export function showLine(row, text, ...buttons) {
  removeLine(row);
  const line = document.createElement("small");
  line.append(Object.assign(document.createElement("span"), { textContent: text }));
  for (const each of buttons) line.append(" ", link(...each));
  row.append(line);
}

/** Remove the line or the error card below a message. */
export function removeLine(row) {
  row.querySelector(":scope > small, :scope > .trouble")?.remove();
}

/** Show how much of a message's pictures is uploaded, from 0 to 1, and a button that removes the message; 1 hides both. */
export function showUpload(row, fraction, remove) {
  const box = row.querySelector(".upload") ?? uploadBox(remove);
  box.firstChild.value = fraction;
  if (fraction >= 1) box.remove();
  else if (!box.isConnected) row.querySelector(".photos").after(box);
}

function uploadBox(remove) {
  const box = Object.assign(document.createElement("div"), { className: "upload" });
  const bar = document.createElement("progress");
  bar.setAttribute("aria-label", words["photos.sending"]);
  box.append(bar, link(words["queue.remove"], remove));
  return box;
}

function pictureBox(photos) {
  const box = Object.assign(document.createElement("div"), { className: "photos" });
  box.append(...photos.map(({ url }) => Object.assign(new Image(), { src: url, alt: "" })));
  return box;
}

function link(textContent, act) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent });
  button.addEventListener("click", act);
  return button;
}
