import { useMemo, useSyncExternalStore } from "react";

const SHOWN = ["messages", "run", "agent", "state", "connection"];
const ACTS = ["send", "edit", "regenerate", "switch", "answer", "stop", "feedback", "upload", "history"];
const views = new WeakMap();

/** What a chat shows, as one object: the same as long as nothing of it changes. */
function viewOf(chat) {
  const known = views.get(chat);
  if (known && SHOWN.every((name) => known[name] === chat[name])) return known;
  const view = Object.fromEntries(SHOWN.map((name) => [name, chat[name]]));
  views.set(chat, view);
  return view;
}

const actsOf = (chat) => Object.fromEntries(ACTS.map((name) => [name, (...given) => chat[name](...given)]));

/** What a chat shows, drawn again when it changes, and what a person does. */
export function useLoopwire(chat) {
  const look = () => viewOf(chat);
  const view = useSyncExternalStore(chat.subscribe, look, look);
  const acts = useMemo(() => actsOf(chat), [chat]);
  return useMemo(() => ({ ...view, ...acts }), [view, acts]);
}
