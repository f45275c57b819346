/** Stores unsent texts: one for each conversation, which survives a reload. */

/** Store a text, or delete the entry of an empty one. */
export function keep(key, text) {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch {
    // Storage is closed to us (a foreign frame, a private window): the text lives as long as the page.
  }
}

/** The stored text; empty when there is none. */
export function recall(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
