/**
 * Takes a submit before the other scripts of the page are loaded. The text stays in the field, a hint says that it will be
 * sent, and `begin` in conversation.js sends it. A sandbox without `allow-same-origin` loads no other script, so this one
 * says that the frame cannot work.
 */
{
  const form = () => document.querySelector("#composer:not([data-ready])");

  const take = (event) => {
    event.preventDefault();
    if (!form().elements.text.value.trim()) return;
    form().dataset.asked = "";
    const hint = document.getElementById("composer-hint");
    hint.textContent = hint.dataset.early;
    hint.classList.add("needed");
  };

  document.addEventListener("input", ({ target }) => {
    if (target === form()?.elements.text) document.getElementById("send").disabled = !target.value.trim();
  });
  document.addEventListener("submit", (event) => event.target === form() && take(event));
  document.addEventListener("keydown", (event) => {
    const sends = event.key === "Enter" && !event.shiftKey && !event.isComposing;
    if (sends && form() && event.target === form().elements.text) take(event);
  }, true);

  const tellSandboxed = () => {
    const bar = document.getElementById("connection");
    bar.textContent = bar.dataset.sandboxed;
    bar.classList.add("fault");
    bar.hidden = false;
    form().elements.text.disabled = true;
    console.error("Loopwire: the frame's sandbox takes its origin. It needs allow-same-origin beside allow-scripts and allow-forms.");
  };
  const isDrawn = document.readyState !== "loading";
  if (self.origin === "null") isDrawn ? tellSandboxed() : addEventListener("DOMContentLoaded", tellSandboxed);
}
