import { useMemo, useSyncExternalStore } from "react";

const SHOWN = ["messages", "run", "agent", "state", "connection"];
const ACTS = ["send", "edit", "regenerate", "switch", "answer", "stop", "feedback", "upload", "history"];
const views = new WeakMap();

/** The values that a chat shows, as one object: the same object as long as none of them changes. */
function viewOf(chat) {
  const known = views.get(chat);
  if (known && SHOWN.every((name) => known[name] === chat[name])) return known;
  const view = Object.fromEntries(SHOWN.map((name) => [name, chat[name]]));
  views.set(chat, view);
  return view;
}

const actsOf = (chat) => Object.fromEntries(ACTS.map((name) => [name, (...given) => chat[name](...given)]));

/** The values that a chat shows, and its methods. React renders again when a value changes. */
export function useLoopwire(chat) {
  const look = () => viewOf(chat);
  const view = useSyncExternalStore(chat.subscribe, look, look);
  const acts = useMemo(() => actsOf(chat), [chat]);
  return useMemo(() => ({ ...view, ...acts }), [view, acts]);
}
