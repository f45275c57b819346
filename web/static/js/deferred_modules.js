/** What the page loads once a message can be written. */
import { bindInstallation } from "./installation.js";
import { bindNotifications } from "./notifications.js";
import { bindSpeech } from "./speech.js";

export function bindDeferred({ client, log, announcer, composer }) {
  bindNotifications(log, announcer);
  bindSpeech({ client, announcer, composer });
  bindInstallation(composer);
}
