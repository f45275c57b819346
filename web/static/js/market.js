/** The buttons of the listing that open the chat; what is pressed before the loader is there waits for it. */
window.Loopwire ??= [];
for (const button of document.querySelectorAll("[data-chat]")) button.addEventListener("click", () => window.Loopwire.push([button.dataset.chat]));
