/** The accent of an app: the page derives colours from it, and makes it darker or lighter until it can be read. */
const ENOUGH = 4.5;
const STEPS = 20;
export const PAPERS = { light: { bg: [252, 252, 250], toward: [0, 0, 0] }, dark: { bg: [20, 22, 27], toward: [255, 255, 255] } };
const NAMES = ["accent", "accent-hover", "on-accent", "soft", "soft-line", "wire"];

/** Draw with an accent such as `1f5f46`; without one, or with a text that is no colour, draw with Loopwire's own. */
export function applyAccent(text) {
  const { style } = document.documentElement;
  const [, hex] = /^#?([0-9a-f]{6})$/i.exec(text ?? "") ?? [];
  if (!hex) return NAMES.forEach((name) => style.removeProperty(`--${name}`));
  const wished = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const [light, dark] = [shades(wished, PAPERS.light), shades(wished, PAPERS.dark)];
  NAMES.forEach((name) => style.setProperty(`--${name}`, `light-dark(rgb(${light[name]}), rgb(${dark[name]}))`));
  return undefined;
}

/** The colours derived from one for one paper: the accent is the nearest one that can be read on it and on `soft`. */
export function shades(wished, { bg, toward }) {
  let [accent, soft] = [wished, bg];
  for (let step = 0; step <= STEPS; step += 1) {
    accent = mix(wished, toward, step / STEPS);
    soft = mix(bg, accent, 0.12);
    if (Math.min(contrast(accent, bg), contrast(accent, soft)) >= ENOUGH) break;
  }
  const ink = contrast(accent, [255, 255, 255]) >= ENOUGH ? [255, 255, 255] : [12, 14, 18];
  return { accent, "accent-hover": mix(accent, toward, 0.2), "on-accent": ink, soft, "soft-line": mix(bg, accent, 0.28), wire: mix(bg, accent, 0.32) };
}

function mix(from, to, part) {
  return from.map((value, at) => Math.round(value + (to[at] - value) * part));
}

/** The contrast of two colours, as WCAG counts it. */
export function contrast(one, other) {
  const [dark, light] = [one, other].map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour) {
  const [red, green, blue] = colour.map((each) => each / 255).map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
