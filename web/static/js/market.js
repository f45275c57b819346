import { switchTheme } from "./theme_switch.js";

/** The buttons of the listing that open the chat. A click before the loader is there waits in its queue. */
window.Loopwire ??= [];
for (const button of document.querySelectorAll("[data-chat]")) button.addEventListener("click", () => window.Loopwire.push([button.dataset.chat]));
// The chats take the colours of the page.
document.querySelector("[data-theme-switch]").addEventListener("click", switchTheme);
