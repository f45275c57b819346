const COPIED_MS = 1500;

/** Copy a text to the clipboard; false where the browser refuses. A page over plain http has no `navigator.clipboard`. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text) {
  const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true, className: "unseen" });
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return copied;
}

/** Show a check mark in the place of a button's icon for a moment, or `done` in the place of its words. */
export function showCopied(button, done) {
  const glyph = button.querySelector("use");
  if (!glyph) {
    button.dataset.words ??= button.textContent;
    button.textContent = done;
    setTimeout(() => (button.textContent = button.dataset.words), COPIED_MS);
    return;
  }
  const show = (name) => glyph.setAttribute("href", glyph.getAttribute("href").replace(/#.*/, `#${name}`));
  show("check");
  setTimeout(show, COPIED_MS, "copy");
}
