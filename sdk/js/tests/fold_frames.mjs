// Folds frames, and applies patches, for a test in another language: a line of JSON in, a line of JSON out.
import { createInterface } from "node:readline";
import { Conversation } from "../conversation.js";
import { patched } from "../patch.js";

function answer({ frames, document, patch }) {
  if (patch) return applied(document, patch);
  const conversation = new Conversation();
  const changed = [];
  conversation.addEventListener("change", ({ detail }) => changed.push(detail.ids));
  for (const frame of frames) conversation.take(frame);
  const { messages, state, run, steps } = conversation;
  return { messages, state, run, steps, changed };
}

function applied(document, patch) {
  try {
    return { document: patched(document, patch) };
  } catch (error) {
    return { refused: error.constructor.name };
  }
}

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(answer(JSON.parse(line))));
