/** The page of a service's form: its fields are kept for a reload, its pictures are made small. */
import { takePictures } from "./form_pictures.js";
import { keepFields } from "./kept_form.js";

const form = document.querySelector("form[data-keeps]");
if (form) keepFields(form);
takePictures(document);
