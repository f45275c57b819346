/** Switch the page between light and dark, from what it is now; returns the new theme. */
export function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  for (const meta of document.querySelectorAll("meta[name=theme-color]")) meta.content = getComputedStyle(document.body).backgroundColor;
  return root.dataset.theme;
}
