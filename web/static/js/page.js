import { announcer, client, composer, log, open } from "./conversation.js";
import { side } from "./side.js";
import { countUnread } from "./title.js";

side();
open({ begun: (session) => history.replaceState(null, "", `/s/${session}`) });
composer.focus();
countUnread(client);
import("./notify.js").then(({ notifications }) => notifications(log, announcer));
