/** The words of the interface in the page's language, as the server put them into the page. */
export const words = JSON.parse(document.getElementById("words").textContent);

/** A sentence with its values filled in. */
export function phrase(key, values) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
