import { reload } from "./visitor.js";
import { timeWords } from "./time_words.js";
import { words } from "./words.js";
import { newId } from "/static/sdk/ids.js";

const talk = document.getElementById("talk");

/** The sentences for pictures that the server refuses; the composer gets them back. */
const REFUSED = { image_unreadable: "photos.unreadable", unsupported_media_type: "photos.unreadable", too_long: "photos.large" };

/** The seconds until a picture is tried again, where a limit does not say it. */
const AGAIN_S = 60;

/** Sends messages of the composer and of blocks: each is kept until the server has stored it, and can be tried again. */
export class MessageSender {
  #messages = new Map();

  /** `parts` are those of the page: client, log, unsent, pending, composer, late (what a frame loads later), follow, announcer. */
  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Send the text of the composer with its pictures. */
  say(text, photos = []) {
    return this.send(text ? [{ type: "text", text }] : [], text, undefined, photos).catch(() => {});
  }

  /** Send parts, which the page shows as `text`; resolves with the ack, and rejects when the server refuses the message. */
  async send(parts, text, id = newId(), photos = []) {
    this.#begin();
    this.#messages.set(id, { parts, text, photos });
    this.unsent.add({ id, parts, text, photos: photos.length });
    this.pending.add(id, text, { queued: Boolean(this.log.running), photos });
    this.follow.toEnd();
    try {
      await this.late.ready(); // The host page may have said something that goes with the message.
      const ack = await this.client.message(photos.length ? await this.#withPhotos(parts, text, id, photos) : parts, id);
      this.pending.acknowledge(id);
      for (const { url } of photos) URL.revokeObjectURL(url);
      if (!this.log.running || this.log.running === ack.run_id) this.late.foldUntil(ack.run_id, text);
      this.composer.show({ spent: false });
      return ack;
    } catch (error) {
      this.#refused(id, error);
      throw error;
    }
  }

  /** Send a message again that could not be sent. */
  again(id) {
    if (!this.client.wanted) return reload(this.client.session);
    const { parts, text, photos } = this.#messages.get(id);
    this.pending.drop(id);
    this.send(parts, text, undefined, photos).catch(() => {});
  }

  #refused(id, { code, retry_after }) {
    const { text, photos } = this.#messages.get(id);
    if (photos.length && REFUSED[code]) {
      this.pending.drop(id);
      this.composer.giveBack(text, photos);
      return this.composer.complain(words[REFUSED[code]]);
    }
    if (code === "busy" || code === "budget") {
      this.pending.drop(id);
      this.composer.giveBack(text, photos);
      if (code === "budget") this.composer.show({ spent: true });
      this.announcer.say(words[code === "busy" ? "composer.full" : "composer.spent"]);
    } else if (code !== "taken_back") {
      const isUpload = photos.some(({ part }) => !part);
      if (isUpload && code === "rate_limited") this.pending.showUnsent(id, "photos.limited", { when: timeWords(retry_after ?? AGAIN_S) });
      else this.pending.showUnsent(id, isUpload ? "photos.unsent" : "queue.unsent");
    }
  }

  /** Begin the conversation with its first message: hide the empty page, and connect. */
  #begin() {
    talk.classList.remove("new-talk");
    if (!this.client.wanted) this.client.connect();
  }

  /** Upload the pictures of a message; after that a reload does not lose it. Until then it can be removed. */
  async #withPhotos(parts, text, id, photos) {
    const stop = new AbortController();
    const remove = () => {
      stop.abort(Object.assign(new Error("removed"), { code: "taken_back" }));
      this.pending.drop(id);
      this.composer.focus();
    };
    const progress = (fraction) => this.pending.showProgress(id, fraction, remove);
    const session = await this.#session();
    const whole = [...parts, ...(await this.late.upload(session, photos, progress, stop.signal))];
    this.unsent.add({ id, parts: whole, text });
    return whole;
  }

  /** The session's id, as soon as there is one. */
  #session() {
    const { client } = this;
    if (client.session) return client.session;
    return new Promise((resolve, reject) => {
      client.addEventListener("state", function changed({ detail }) {
        if (client.session) resolve(client.session);
        else if (detail.state === "closed") reject(new Error("no session"));
        else return;
        client.removeEventListener("state", changed);
      });
    });
  }
}
