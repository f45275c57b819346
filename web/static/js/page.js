import "./debug.js";
import { announcer, client, composer, log, open } from "./conversation.js";
import { bindRows } from "./row_parts.js";
import { bindSidebar } from "./sidebar.js";
import { countUnread } from "./title.js";

bindSidebar();
open({ begun: (session) => history.replaceState(null, "", `/s/${session}`), bindRows });
composer.focus();
countUnread(client);
import("./deferred_modules.js").then(({ bindDeferred }) => bindDeferred({ client, log, announcer, composer }));
