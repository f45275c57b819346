/** Keeps the fields of a service's form for a reload and the way back: in this tab, until the form is opened anew. */

const returns = () => ["reload", "back_forward"].includes(performance.getEntriesByType("navigation")[0]?.type);

const fieldsOf = (form) => [...form.elements].filter((field) => field.name && field.type !== "file");

/** Restore what was written before the page was left, and store it each time the page is left. */
export function keepFields(form) {
  const key = `form:${location.pathname}${location.search}`;
  try {
    const kept = returns() && JSON.parse(sessionStorage.getItem(key));
    if (kept) for (const field of fieldsOf(form)) field.value = kept[field.name] ?? field.value;
    else sessionStorage.removeItem(key);
  } catch {
    // Storage is closed to us or holds no JSON: the form stays as the server sent it.
  }
  addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(fieldsOf(form).map((field) => [field.name, field.value]))));
    } catch {
      // Storage is closed to us or full: nothing is kept.
    }
  });
}
