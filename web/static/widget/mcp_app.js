// The View of an MCP Apps host: an inline chat that has the theme, the language and the limits of the host, opens its links there
// and knows what the tool call brought. The server sends this file without its lines of comment and its indentation.
(() => {
  const { currentScript: script, documentElement: root } = document;
  const server = new URL(script.src).origin;
  const host = parentOrigin();
  const MOST_BYTES = 8e3;
  const chat = document.createElement("loopwire-chat");
  const told = {};
  let calls = 0;
  let context = {};

  const sizes = new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    send({ method: "ui/notifications/size-changed", params: { height } });
  });

  // Return the origin of the window that shows this one; empty where the browser does not tell it.
  function parentOrigin() {
    let found;
    try {
      // A proxy of the host is of our own origin, as a rule.
      found = parent.origin;
    } catch {
      found = location.ancestorOrigins?.[0] ?? (document.referrer && new URL(document.referrer).origin);
    }
    return parent === self || found === "null" ? "" : found;
  }

  function send(message) {
    parent.postMessage({ jsonrpc: "2.0", ...message }, host);
  }

  function ask(method, params) {
    send({ id: (calls += 1), method, params });
  }

  function hear({ source, origin, data }) {
    if (source !== parent || origin !== host || data?.jsonrpc !== "2.0") return;
    const { id, method, params, result } = data;
    if (!method) return id === 1 && begin(result);
    const act = acts[method];
    act?.(params ?? {});
    if (id === undefined) return;
    send(act ? { id, result: {} } : { id, error: { code: -32601, message: "Method not found" } });
  }

  // Show the chat, by what the host has answered.
  function begin({ hostContext = {}, hostCapabilities = {} } = {}) {
    if (chat.isConnected) return;
    adapt(hostContext);
    const { height, maxHeight } = context.containerDimensions ?? {};
    const { top = 0, bottom = 0 } = context.safeAreaInsets ?? {};
    const given = { ...script.dataset, mode: "inline", host: self.origin };
    if (height) root.style.setProperty("--loopwire-height", `calc(100vh - ${top + bottom}px)`);
    else given.height = `auto ${maxHeight ? maxHeight - top - bottom : ""}`.trim();
    for (const name in given) chat.setAttribute(name, given[name]);
    if (hostCapabilities.openLinks) chat.openLink = (url) => ask("ui/open-link", { url });
    document.body.append(chat);
    if (!host) return;
    send({ method: "ui/notifications/initialized", params: {} });
    if (height) return;
    for (const name of ["ready", "error"]) chat.addEventListener("loopwire:" + name, () => sizes.observe(document.body));
  }

  // Look as the host says; what it does not say stays.
  function adapt(changed) {
    context = { ...context, ...changed };
    const { theme = "light dark", locale, safeAreaInsets = {} } = context;
    root.style.colorScheme = theme;
    if (locale) root.lang = locale;
    document.body.style.margin = 0;
    document.body.style.padding = ["top", "right", "bottom", "left"].map((side) => `${safeAreaInsets[side] ?? 0}px`).join(" ");
  }

  // Tell the chat of the tool call, in as many bytes as it takes: they are data of a page to its agents.
  function tell(more) {
    Object.assign(told, { tool: context.toolInfo?.tool.name, ...more });
    const { tool, result, ...rest } = told;
    const forms = [{ ...told }, { tool, ...rest, result: result?.slice(0, 1e3) }, { tool, ...rest }, { tool }];
    const fits = (form) => new Blob([JSON.stringify(form)]).size < MOST_BYTES;
    window.Loopwire.push(["setContext", forms.find(fits)]);
  }

  const acts = {
    ping() {},
    "ui/notifications/host-context-changed": adapt,
    "ui/notifications/tool-input": ({ arguments: args }) => tell({ arguments: args }),
    "ui/notifications/tool-result": ({ content = [] }) => tell({ result: content.map(({ text = "" }) => text).join("\n") }),
    "ui/resource-teardown"() {
      chat.remove();
      sizes.disconnect();
      removeEventListener("message", hear);
    },
  };

  window.Loopwire ??= [];
  document.head.append(Object.assign(document.createElement("script"), { src: `${server}/widget.js` }));
  if (!host) return begin();
  addEventListener("message", hear);
  ask("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "Loopwire", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline"] },
  });
})();
