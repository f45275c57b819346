import { shrinkPicture } from "./shrink_picture.js";
import { phrase, words } from "./words.js";

/** The most pictures of a message. */
const MOST = 8;
const APPLE = /\.hei[cf]$/i;

/** The pictures of the next message: chosen, photographed, pasted or dropped, and made small here. */
export class Photos {
  #chosen = [];
  #reading = 0;

  constructor(form, { changed, announcer, wrong }) {
    this.list = document.getElementById("photos");
    this.attach = document.getElementById("attach");
    this.talk = document.getElementById("talk");
    Object.assign(this, { changed, announcer, wrong });
    this.#offer(this.attach, document.getElementById("photos-input"));
    this.#offer(document.getElementById("camera"), document.getElementById("camera-input"));
    form.addEventListener("paste", (event) => this.#paste(event));
    this.talk.addEventListener("dragover", (event) => this.#over(event));
    this.talk.addEventListener("dragleave", (event) => this.talk.contains(event.relatedTarget) || this.#left());
    this.talk.addEventListener("drop", (event) => this.#drop(event));
  }

  get count() {
    return this.#chosen.length;
  }

  /** Whether some are still being made small: a message sent now would not have them. */
  get busy() {
    return this.#reading > 0;
  }

  /** Return the chosen pictures, each with `blob` and `url`, and clear them. */
  take() {
    const chosen = this.#chosen;
    this.#chosen = [];
    this.list.replaceChildren();
    return chosen;
  }

  /** Return pictures that were refused. */
  giveBack(photos) {
    for (const photo of photos) this.#show(photo, this.#row());
  }

  #offer(button, input) {
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const files = [...input.files];
      input.value = "";
      this.#add(files);
    });
  }

  /** A text that was copied with a picture of itself is pasted as text. */
  #paste(event) {
    const { files, types } = event.clipboardData ?? {};
    if (!files?.length || types.includes("text/plain")) return;
    event.preventDefault();
    this.#add([...files]);
  }

  #over(event) {
    if (!event.dataTransfer?.types.includes("Files") || this.#isClosed) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    this.talk.classList.add("dropping");
  }

  #left() {
    this.talk.classList.remove("dropping");
  }

  /** Take dropped files. Also a file that is no picture is taken and refused: the browser would open it in this tab. */
  #drop(event) {
    this.#left();
    if (!event.dataTransfer?.types.includes("Files") || this.#isClosed) return;
    event.preventDefault();
    this.#add([...event.dataTransfer.files]);
  }

  get #isClosed() {
    return document.getElementById("composer").hidden;
  }

  /** Take chosen files. What is refused of them stands beside the composer until the next choice. */
  async #add(files) {
    const room = MOST - this.#chosen.length - this.#reading;
    const taken = files.slice(0, Math.max(0, room)).map((file) => ({ file, row: this.#row() }));
    const faults = new Set(taken.length < files.length ? ["photos.many"] : []);
    const complain = () => this.wrong([...faults].map((each) => words[each]).join(" "));
    this.#reading += taken.length;
    complain();
    const before = faults.size;
    for (const { file, row } of taken) {
      const blob = await shrinkPicture(file).catch(() => null);
      this.#reading -= 1;
      if (blob) this.#show({ blob, url: URL.createObjectURL(blob) }, row);
      else {
        row.remove();
        faults.add(faultOf(file));
        this.changed();
      }
    }
    if (faults.size > before) complain();
  }

  /** The place of a picture that is being read. */
  #row() {
    const row = document.createElement("li");
    row.setAttribute("aria-busy", "true");
    this.list.append(row);
    return row;
  }

  #show(photo, row) {
    this.#chosen.push(photo);
    row.removeAttribute("aria-busy");
    const picture = Object.assign(new Image(), { src: photo.url, alt: phrase("photos.one", { number: this.#chosen.length }) });
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "×" });
    button.setAttribute("aria-label", words["photos.remove"]);
    button.addEventListener("click", () => this.#remove(photo, row));
    row.append(picture, button);
    this.announcer.say(phrase("photos.added", { count: this.#chosen.length }));
    this.changed();
  }

  #remove(photo, row) {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    this.#chosen = this.#chosen.filter((each) => each !== photo);
    URL.revokeObjectURL(photo.url);
    row.remove();
    (next?.querySelector("button") ?? this.attach).focus();
    this.wrong("");
  }
}

/** The key of the sentence for a file that is no picture, or none that this browser reads. */
function faultOf({ name, type }) {
  if (/^image\/hei[cf]/.test(type) || APPLE.test(name)) return "photos.apple";
  return type.startsWith("image/") ? "photos.unreadable" : "photos.none";
}
