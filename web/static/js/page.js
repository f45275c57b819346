import { composer, open } from "./conversation.js";
import { side } from "./side.js";

side();
open({ begun: (session) => history.replaceState(null, "", `/s/${session}`) });
composer.focus();
