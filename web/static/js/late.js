/** What the page loads once a message can be written. */
import { bindInstallation } from "./installation.js";
import { bindNotifications } from "./notifications.js";

export function bindLate({ log, announcer, composer }) {
  bindNotifications(log, announcer);
  bindInstallation(composer);
}
