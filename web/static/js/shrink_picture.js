/** Pictures of these types are sent unchanged if they are not larger than the server stores them. */
const TYPES = new Set(["image/jpeg", "image/png", "image/webp", "image/gif"]);
const LONGEST = 1600;
const MOST_BYTES = 1_500_000;
const QUALITY = 0.85;

/** Make a large picture small, since a phone's ten megabytes would upload slowly; throws for a file that is no picture. */
export async function shrinkPicture(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  if (scale === 1 && TYPES.has(file.type) && file.size <= MOST_BYTES) {
    bitmap.close();
    return file;
  }
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const drawing = canvas.getContext("2d");
  drawing.fillStyle = "white"; // Transparent pixels would be black in a JPEG.
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  drawing.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/jpeg", QUALITY);
  });
}
