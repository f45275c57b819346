/** The words of the interface in the page's language, as the server put them into the page. */
const place = document.getElementById("words");
export const words = JSON.parse(place.textContent);
let loading = place.dataset.more ? null : Promise.resolve();

/** Load the words that a frame has in a file, since its first message needs none of them. */
export function loadWords() {
  const load = async () => Object.assign(words, await (await fetch(place.dataset.more)).json());
  return (loading ??= load().catch((error) => {
    loading = null;
    throw error;
  }));
}

/** A sentence with its values filled in. */
export function phrase(key, values) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
