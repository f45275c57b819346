/**
 * Takes a submit before the other scripts of the page are loaded. The text stays in the field, a hint says that it will be
 * sent, and `begin` in conversation.js sends it.
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
}
