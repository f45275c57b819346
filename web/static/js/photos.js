import { words } from "./words.js";

/** As many as a message may have, and as large as the server keeps them. */
const MOST = 8;
const LONGEST = 1600;
const TYPES = new Set(["image/jpeg", "image/png", "image/webp", "image/gif"]);
const QUALITY = 0.85;

/** The pictures that go with the next message: chosen, pasted or dropped, made small here, and uploaded when it is sent. */
export class Photos {
  #chosen = [];

  constructor(form, { changed, announcer, wrong }) {
    this.list = document.getElementById("photos");
    this.input = document.getElementById("photos-input");
    this.changed = changed;
    this.announcer = announcer;
    this.wrong = wrong;
    document.getElementById("attach").addEventListener("click", () => this.input.click());
    this.input.addEventListener("change", () => this.#add(this.input.files));
    form.addEventListener("paste", (event) => this.#take(event, event.clipboardData));
    const talk = document.getElementById("talk");
    talk.addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
    talk.addEventListener("drop", (event) => this.#take(event, event.dataTransfer));
  }

  get count() {
    return this.#chosen.length;
  }

  /** Hand over what was chosen: `blob` and its `url` each. */
  take() {
    const chosen = this.#chosen;
    this.#chosen = [];
    this.list.replaceChildren();
    return chosen;
  }

  /** Give back what was not taken. */
  giveBack(photos) {
    for (const photo of photos) this.#show(photo);
  }

  #take(event, data) {
    const files = [...(data?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
    if (!files.length) return;
    event.preventDefault();
    this.#add(files);
  }

  async #add(files) {
    const given = [...files];
    this.input.value = "";
    for (const file of given) {
      if (this.#chosen.length >= MOST) return this.wrong(words["photos.many"]);
      try {
        const blob = await small(file);
        this.#show({ blob, url: URL.createObjectURL(blob) });
      } catch {
        this.wrong(words["photos.unreadable"]);
      }
    }
  }

  #show(photo) {
    this.#chosen.push(photo);
    const row = document.createElement("li");
    const picture = Object.assign(new Image(), { src: photo.url, alt: words["photos.one"].replace("{number}", this.#chosen.length) });
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "×" });
    button.setAttribute("aria-label", words["photos.remove"]);
    button.addEventListener("click", () => this.#remove(photo, row));
    row.append(picture, button);
    this.list.append(row);
    this.announcer.say(words["photos.added"].replace("{count}", this.#chosen.length));
    this.changed();
  }

  #remove(photo, row) {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    this.#chosen = this.#chosen.filter((each) => each !== photo);
    row.remove();
    (next?.querySelector("button") ?? document.getElementById("attach")).focus();
    this.changed();
  }
}

/** Upload pictures to a session; returns the parts of the message that name them. */
export async function upload(session, photos) {
  const parts = [];
  for (const photo of photos) {
    photo.part ??= await send(session, photo.blob);
    parts.push(photo.part);
  }
  return parts;
}

async function send(session, blob) {
  const answer = await fetch(`/v1/sessions/${session}/files`, { method: "POST", headers: { "content-type": blob.type }, body: blob });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(body.message), { code: body.code });
  return { type: "image", blob_id: body.blob_id };
}

/** Draw a picture that is too large anew, as a phone's ten megabytes would take long; throws for what is none. */
async function small(file) {
  const bitmap = await createImageBitmap(file);
  const scale = LONGEST / Math.max(bitmap.width, bitmap.height);
  if (scale >= 1 && TYPES.has(file.type)) return file;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(bitmap.width * Math.min(1, scale));
  canvas.height = Math.round(bitmap.height * Math.min(1, scale));
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/jpeg", QUALITY);
  });
}
