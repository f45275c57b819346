/** The forms that try requests on the page of the API, and its copy buttons. */
import { copyText, showCopied } from "./copy.js";

const announcer = document.getElementById("announcer");

const say = (words) => {
  announcer.textContent = "";
  setTimeout(() => (announcer.textContent = words), 50);
};

/** Post the body of a form to the service, and show status, time and answer. */
async function send(form) {
  const shown = form.querySelector(".answer");
  const [measure, data] = [shown.querySelector(".measure"), shown.querySelector("pre")];
  shown.hidden = false;
  measure.textContent = announcer.dataset.sending;
  measure.classList.remove("bad");
  data.textContent = "";
  const began = performance.now();
  try {
    const response = await fetch(form.dataset.path, { method: "POST", headers: { "content-type": "application/json" }, body: form.elements.body.value });
    const answer = await response.json();
    measure.textContent = `${response.status} · ${Math.round(performance.now() - began)} ms`;
    measure.classList.toggle("bad", !response.ok);
    data.textContent = JSON.stringify(answer, null, 2);
  } catch {
    measure.textContent = announcer.dataset.failed;
    measure.classList.add("bad");
  }
}

for (const form of document.querySelectorAll(".try")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
  form.querySelector("[data-reset]").addEventListener("click", () => form.reset());
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const copied = await copyText(button.closest("details, .answer").querySelector("pre").textContent);
  if (copied) showCopied(button);
  say(copied ? announcer.dataset.copied : announcer.dataset.notCopied);
});
