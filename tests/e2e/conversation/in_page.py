"""The scripts that the tests run inside the page: watchers, and readers of the rows."""

OBSERVE = """
window.seen = { shifts: [], moved: [], said: [], bar: [], asked: [] };
new PerformanceObserver((list) => {
    for (const { value, startTime: at, hadRecentInput, sources } of list.getEntries()) {
        const answering = seen.asked.some(([from, to]) => from <= at && at <= (to ?? Infinity));
        const givesWay = sources.length && sources.every(({ node }) => {
            return (node instanceof Element ? node : node?.parentElement)?.closest("#live, .composer-foot");
        });
        if (hadRecentInput || answering || givesWay) continue;
        seen.shifts.push(value);
        for (const { node, previousRect, currentRect } of sources) {
            const element = node instanceof Element ? node : node?.parentElement;
            seen.moved.push(`${at | 0} ms ${element?.outerHTML.slice(0, 80)} ${previousRect.y}-${currentRect.y}`);
        }
    }
}).observe({ type: "layout-shift", buffered: true });
addEventListener("DOMContentLoaded", () => {
    const ask = () => seen.asked.at(-1)?.length !== 1 && seen.asked.push([performance.now()]);
    for (const kind of ["click", "submit"]) addEventListener(kind, ask, true);
    addEventListener("keydown", ({ key }) => key === "Enter" && ask(), true);
    const acked = () => seen.asked.at(-1)?.length === 1 && seen.asked.at(-1).push(performance.now());
    const sending = document.getElementById("sending");
    if (sending) new MutationObserver(() => {
        const waits = sending.querySelector("li:not([data-state=taken])");
        if (!waits) requestAnimationFrame(() => requestAnimationFrame(acked));
    }).observe(sending, { attributes: true, childList: true, subtree: true });
    const announcer = document.getElementById("announcer");
    const bar = document.getElementById("connection");
    if (!announcer) return;
    new MutationObserver((changes) => {
        for (const { addedNodes } of changes) for (const each of addedNodes) seen.said.push(each.textContent);
    }).observe(announcer, { childList: true });
    new MutationObserver(() => seen.bar.push(bar.hidden ? "" : bar.textContent.trim()))
        .observe(bar, { attributes: true, childList: true });
});
"""
"""Put into every page before its own scripts: shifts of the layout, what a screen reader is told, the bar.

A shift counts, but for two. What follows one's own deed until the server has it: the question folds at the ack (the
browser itself excuses half a second after a deed, which a busy machine does not keep to). And where nothing moved but
what makes room by design: the line that says what is being done stands below the last row, wherever that ends, and the
composer's foot gets the button that stops an answer.
"""

ROWS = """(html) => {
    const passing = new Set(["fresh", "live-now", "chosen", "chosen-one"]);
    const own = new Set(["tabindex", "open", "datetime", "hidden", "title"]);
    let root = document.getElementById("log");
    if (html !== null) {
        const fresh = document.createElement("template");
        fresh.innerHTML = html;
        root = fresh.content;
    }
    const lines = [];
    const lasting = (value) => value.split(/\\s+/).filter((word) => word && !passing.has(word)).join(" ");
    const walk = (node, depth) => {
        for (const each of node.childNodes) {
            const indent = " ".repeat(depth);
            if (each.nodeType === Node.TEXT_NODE) {
                const words = each.data.replace(/\\s+/g, " ").trim();
                if (words && node.localName !== "time") lines.push(indent + words);
            } else if (each.nodeType === Node.ELEMENT_NODE && !each.matches(".day")) {
                const attributes = [...each.attributes]
                    .filter(({ name }) => !own.has(name))
                    .map(({ name, value }) => `${name}=${name === "class" ? lasting(value) : value}`);
                lines.push(`${indent}<${[each.localName, ...attributes.sort()].join(" ")}>`);
                walk(each, depth + 1);
            }
        }
    };
    walk(root, 0);
    return lines;
}"""
"""The rows as lines of elements, attributes and words, without what a hand, a clock or a moment has changed."""

WIDE = """() => ["html", "#talk", "#scroll", "#log", ".dock", "#side"].map((name) => {
    const each = document.querySelector(name);
    const scrolls = each && (name === "html" || getComputedStyle(each).overflowX !== "visible");
    const spills = scrolls && each.checkVisibility() && each.scrollWidth > each.clientWidth;
    return spills ? `${name}: ${each.scrollWidth} > ${each.clientWidth}` : "";
}).filter(Boolean)"""
"""The places that can be scrolled sideways."""
