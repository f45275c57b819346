/** Return 128 random bits in hex. (`crypto.randomUUID` is missing in pages over plain HTTP from another machine.) */
export const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
