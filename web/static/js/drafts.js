/** Texts that were not sent: one for each conversation, which outlives a reload. */

/** Keep a text, or forget an empty one. */
export function keep(key, text) {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch {
    // Storage is closed to us (a foreign frame, a private window): the text lives as long as the page.
  }
}

/** The text that was kept, or none. */
export function recall(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
