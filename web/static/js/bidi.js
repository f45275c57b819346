/** Leave out what turns the words after it around (embeddings, overrides, isolates), as the server does when it draws. */
export const stripOverrides = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/gu, "");
