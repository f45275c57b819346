import "./debug.js";
import { announcer, client, composer, log, open } from "./conversation.js";
import { bindRows } from "./row_parts.js";
import { drawAnew } from "./session_list.js";
import { bindSidebar } from "./sidebar.js";
import { countUnread } from "./title.js";

bindSidebar();
open({ begun: (session) => history.replaceState(null, "", `/s/${session}`), bindRows });
composer.focus();
countUnread(client);
// A run may have begun and ended unseen before a snapshot, and given the conversation another title.
client.addEventListener("snapshot", drawAnew);
import("./deferred_modules.js").then(({ bindDeferred }) => bindDeferred({ client, log, announcer, composer }));
