// The SDK's /react in a React tree that nobody sees: a page that talks with a server, and tells what it drew.
import { StrictMode, createElement } from "react";
import TestRenderer, { act } from "react-test-renderer";

import { loopwire } from "../../../sdk/js/index.js";
import { frameworksFrom } from "./frameworks.mjs";

frameworksFrom("./");
const { useLoopwire } = await import("../../../sdk/js/react.js");

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const [url] = process.argv.slice(2);
const complaints = [];
console.error = console.warn = (...said) => complaints.push(said.join(" "));
const EXPECTED = "react-test-renderer is deprecated";

const chat = loopwire({ url, service: "submission", language: "en" });
const drawn = [];
let shown;

function Page() {
    shown = useLoopwire(chat);
    drawn.push([shown.messages.length, shown.run?.status ?? null, shown.connection.state]);
    return createElement("ol", null, shown.messages.map(({ id, content }) => createElement("li", { key: id }, typeof content === "string" ? content : "")));
}

let tree;
await act(() => (tree = TestRenderer.create(createElement(StrictMode, null, createElement(Page)))));
const { send, stop } = shown;
const first = shown;
await act(() => tree.update(createElement(StrictMode, null, createElement(Page))));
const same = first === shown;
let run;
await act(async () => (run = await send("Polly Magic")));
await act(async () => void (await run.done));
const texts = tree.root.findAllByType("li").flatMap(({ children }) => children);
const stable = shown.send === send && shown.stop === stop;
await act(() => tree.unmount());
const before = drawn.length;
const again = await chat.send("yes");
await again.done;
const told = {
    texts,
    messages: chat.messages.map(({ content }) => content),
    states: [...new Set(drawn.map(([, status]) => status))],
    isSame: same,
    isStable: stable,
    afterUnmount: drawn.length - before,
    complaints: complaints.filter((each) => !each.includes(EXPECTED)),
};
chat.close();
process.stdout.write(JSON.stringify(told));
