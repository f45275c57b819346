import "./debug.js";
import { announcer, client, composer, log, open } from "./conversation.js";
import { bindRows } from "./row_parts.js";
import { drawAnew } from "./session_list.js";
import { bindSidebar } from "./sidebar.js";
import { countUnread } from "./title.js";

bindSidebar();
let shown = location.pathname;
open({ begun: (session) => history.pushState(null, "", (shown = `/s/${session}`)), bindRows });
// Back from a conversation that began here shows the start page, and forward shows the conversation.
addEventListener("popstate", () => location.pathname === shown || location.reload());
composer.focus();
countUnread(client);
// A run may have begun and ended unseen before a snapshot, and given the conversation another title.
client.addEventListener("snapshot", drawAnew);
import("./deferred_modules.js").then(({ bindDeferred }) => bindDeferred({ client, log, announcer, composer }));
