/**
 * Remove the characters that reorder the text after them (embeddings, overrides, isolates) and control characters but tab
 * and newline, as the server does when it draws.
 */
export const stripOverrides = (text) => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/gu, "");
