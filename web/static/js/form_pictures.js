import { shrinkPicture } from "./shrink_picture.js";

const APPLE = /\.hei[cf]$/i;

/**
 * Take the pictures of a form's fields: each is made small, shown, and can be removed. Without scripts the browser sends
 * the files unchanged. The page drops its pictures when it is left, also if the browser caches the page.
 */
export function takePictures(root) {
  root.addEventListener("change", (event) => event.target.matches("[data-picture]") && take(event.target));
  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-camera], [data-remove]");
    if (!button) return;
    const input = inputOf(button);
    if (button.matches("[data-camera]")) return photograph(input);
    clear(input);
    input.focus();
  });
  root.addEventListener("submit", (event) => keepRefusal(root, event), { capture: true });
  addEventListener("pagehide", () => root.querySelectorAll("[data-picture]").forEach(clear));
}

const inputOf = (part) => part.closest(".ask-field").querySelector("[data-picture]");

/** Stay once on a form with a file that was refused: sent without it, the form would come again and say less. */
function keepRefusal(root, event) {
  const input = root.querySelector("[data-refused]");
  if (!input) return;
  input.removeAttribute("data-refused");
  event.preventDefault();
  event.stopPropagation();
  input.focus();
}

/** Open the camera instead of the files, for the same field. */
function photograph(input) {
  input.setAttribute("capture", "environment");
  input.click();
  input.removeAttribute("capture");
}

async function take(input) {
  const [file] = input.files;
  show(input, null);
  tell(input, "");
  input.removeAttribute("data-refused");
  if (!file) return;
  const blob = await shrinkPicture(file).catch(() => null);
  if (input.files[0] !== file) return; // Another one was chosen meanwhile, or the page was left.
  if (!blob) {
    input.value = "";
    input.setAttribute("data-refused", "");
    tell(input, reason(input.form.dataset, file));
    return;
  }
  const files = new DataTransfer();
  files.items.add(new File([blob], "picture", { type: blob.type }));
  input.files = files.files;
  show(input, blob);
}

function reason(words, { name, type }) {
  if (/^image\/hei[cf]/.test(type) || APPLE.test(name)) return words.apple;
  return type.startsWith("image/") ? words.unreadable : words.none;
}

function clear(input) {
  input.value = "";
  show(input, null);
}

/** Show a picture under its field, or none; its object URL is revoked as soon as it is drawn. */
function show(input, blob) {
  const shown = input.closest(".ask-field").querySelector(".chosen");
  const picture = shown.querySelector("img");
  shown.hidden = !blob;
  picture.removeAttribute("src");
  if (!blob) return;
  const address = URL.createObjectURL(blob);
  const drawn = () => URL.revokeObjectURL(address);
  picture.addEventListener("load", drawn, { once: true });
  picture.addEventListener("error", drawn, { once: true });
  picture.src = address;
}

/** Show the error of a field; an empty text clears it. */
function tell(input, words) {
  const field = input.closest(".ask-field");
  const line = field.querySelector(".error");
  line.querySelector("span").textContent = words;
  line.hidden = !words;
  field.querySelector(".field").classList.toggle("wrong", Boolean(words));
  if (words) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}
