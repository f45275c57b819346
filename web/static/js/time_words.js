import { phrase } from "./words.js";

const SOON_S = 90;
const clock = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** The time of an event in so many seconds: "in 12 s", or "at 14:05" when that is far away. */
export function timeWords(seconds) {
  if (seconds < SOON_S) return phrase("connection.in", { seconds: Math.max(1, Math.ceil(seconds)) });
  return phrase("connection.at", { time: clock.format(new Date(Date.now() + seconds * 1_000)) });
}
