/** The page of a service whose form has pictures. */
import { takePictures } from "./form_pictures.js";

takePictures(document);
