// The number on the launcher. The frame counts the messages that arrive while its window is closed.
export const BADGE = `b{position:absolute;top:-5px;right:-5px;box-sizing:border-box;min-width:20px;padding:0 5px;outline:2px solid;border-radius:10px;background:var(--loopwire-badge,#b0251c);color:var(--loopwire-on-badge,lch(from var(--loopwire-badge,#b0251c) calc((49 - l)*1e4) 0 0));font:600 13px/20px var(--loopwire-font,system-ui)}`;

/** Show how many messages are unread; `label` is the name of the launcher meanwhile, in the language of the frame. */
export function count(chat, { count, label = "Chat" }) {
  const { launcher, emit } = chat;
  const badge = launcher.querySelector("b") ?? launcher.appendChild(Object.assign(document.createElement("b"), { part: "badge" }));
  chat.unread = count;
  badge.textContent = count > 9 ? "9+" : count;
  badge.hidden = !count;
  launcher.ariaLabel = label;
  emit("unread", { count });
}
