/** Times of rows by the reader's clock, and a line where another day begins. */
import { words } from "./words.js";

const language = document.documentElement.lang;
const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const long = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const short = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" });
const DAY_MS = 24 * 60 * 60 * 1000;
/** The time by which the server is ahead of this device, whose clock may be wrong. */
const ahead = (Number(document.body.dataset.now) || Date.now()) - Date.now();
const today = (days = 0) => date(new Date(Date.now() + ahead - days * DAY_MS));

/** Write the times below an element, and correct the lines between the days of the log. */
export function writeDates(root) {
  for (const time of root.querySelectorAll("time[data-clock]:empty")) {
    const at = new Date(time.dateTime);
    time.textContent = clock.format(at);
    time.title = `${long.format(at)}, ${time.textContent}`;
  }
  const log = root.closest("#log") ?? document.getElementById("log");
  if (log) placeDayLines(log);
}

/** The server draws these lines by a stored clock offset, which summer time, a journey or midnight make wrong. */
function placeDayLines(log) {
  let last = today();
  for (const row of log.querySelectorAll(":scope > .row")) {
    const now = row.dataset.at ? date(new Date(Number(row.dataset.at))) : last;
    const line = row.previousElementSibling?.matches(".day") ? row.previousElementSibling : null;
    if (now === last) line?.remove();
    else if (line) name(line, now);
    else row.before(name(newLine(), now));
    last = now;
  }
}

function newLine() {
  const line = Object.assign(document.createElement("p"), { className: "day" });
  line.append(document.createElement("time"));
  return line;
}

function name(line, day) {
  const time = line.firstElementChild;
  const text = words[{ [today()]: "side.today", [today(1)]: "side.yesterday" }[day]];
  const said = text ?? dayWords(day);
  time.dateTime = day;
  if (time.textContent !== said) time.textContent = said;
  return line;
}

/** The day in words, with the year unless it is this year. */
function dayWords(day) {
  const at = new Date(`${day}T12:00`);
  const said = (day.startsWith(today().slice(0, 5)) ? short : long).format(at);
  return said[0].toLocaleUpperCase(language) + said.slice(1);
}

/** A day as `YYYY-MM-DD`, by the reader's clock. */
function date(at) {
  const two = (number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
