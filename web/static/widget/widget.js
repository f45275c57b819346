// The launcher and the frame of a chat, for pages of other sites: no text of the conversation is in such a page.
// The server sends this file without its lines of comment and its indentation, which is what its size is measured by.
(() => {
  const { currentScript: script, documentElement: root } = document;
  const early = window.Loopwire;
  if (early?.mount) return early.mount(script);

  const server = new URL(script.src).origin;
  const NAME = "loopwire-chat";
  // The one sentence of this file, before anybody agreed that the frame is loaded. "Chat" and "OK" are so in each language.
  const FROM = {
    de: "Der Chat kommt von ",
    es: "El chat viene de ",
    fr: "Le chat vient de ",
    pt: "O chat vem de ",
  };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
:host{all:initial!important;display:block!important}
[hidden]{display:none!important}
button,div{position:fixed;z-index:var(--loopwire-z-index,2147483000);inset-inline-end:var(--loopwire-x,24px);bottom:var(--loopwire-y,24px)}
button{width:var(--loopwire-size,56px);height:var(--loopwire-size,56px);border:0;border-radius:50%;color:var(--loopwire-on-accent,#fff);background:var(--loopwire-accent,#2343c3);box-shadow:var(--loopwire-shadow,0 8px 32px -4px #191b2160);cursor:pointer}
button:focus-visible{outline:2px solid var(--loopwire-accent,#2343c3);outline-offset:2px}
i{display:block;width:24px;height:24px;margin:auto;background:currentColor;clip-path:path("M4 4h16a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-9l-5 4v-4H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z")}
[aria-expanded=true] i{clip-path:path("m4 8 8 8 8-8 2 2-10 10L2 10z")}
b,p{font:600 13px/20px var(--loopwire-font,system-ui)}
b{position:absolute;top:-4px;right:-4px;min-width:20px;border-radius:10px;background:#b0251c}
div{margin-bottom:72px;width:var(--loopwire-width,400px);max-width:calc(100vw - 48px);height:min(var(--loopwire-height,680px),100dvh - 120px);overflow:hidden;outline:1px solid #8884;border-radius:var(--loopwire-radius,18px);background:var(--loopwire-background,#fcfcfa);box-shadow:var(--loopwire-shadow,0 8px 32px -4px #191b2160)}
iframe{width:100%;height:100%;border:0}
p{margin:25% 16px 16px}
b,p,p+button{direction:ltr;text-align:center}
p+button{position:static;display:block;margin:auto;width:auto;padding:0 20px;font:inherit}
:host([position=left]) *{direction:rtl}
:host([mode=inline]) div{position:static;margin:0;width:auto;max-width:none;height:var(--loopwire-height,640px)}
:host([mode=sidebar]) div:has(iframe){inset-inline-end:0;bottom:0;margin:0;height:100dvh;border-radius:0}
@media(max-width:639px){:host(:not([mode=inline])) div:has(iframe){inset:0;margin:0;width:auto;max-width:none;height:100dvh;border-radius:0}}`);
  const said = [];
  const chats = new Set();
  let agreed;

  function make(name, properties, ...inside) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  }

  function begin(host) {
    const end = new AbortController();
    const asked = (name) => host.getAttribute(name) ?? "";
    const emit = (name, detail) => host.dispatchEvent(new CustomEvent("loopwire:" + name, { bubbles: true, detail }));
    const tell = (method, params) => port?.postMessage({ jsonrpc: "2.0", method, params });
    const isFree = () => agreed || !asked("consent");
    const inline = asked("mode") === "inline";
    const shadow = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const count = make("b", { hidden: true });
    const launcher = make("button", { part: "launcher" }, make("i"), count);
    const box = make("div", { part: "window", role: "group", ariaLabel: "Chat", hidden: true });
    const link = make("link", { rel: "preconnect", href: server });
    let frame, page, port, pushed;

    const context = () => ({
      theme: asked("theme") || getComputedStyle(root).colorScheme,
      locale: (asked("language") || root.lang || navigator.language).slice(0, 2),
      accent: asked("accent"),
    });
    const show = () => {
      launcher.ariaExpanded = !box.hidden;
      launcher.ariaLabel = ("Chat " + count.textContent).trim();
      if (asked("accent")) host.style.setProperty("--loopwire-accent", asked("accent"));
      if (box.hidden || frame) return;
      if (!isFree()) return box.replaceChildren(make("p", 0, (FROM[context().locale] ?? "The chat comes from ") + server), make("button", { onclick: api.consent }, "OK"));
      const query = { ...context(), host: location.origin, service: asked("service"), height: asked("height") };
      const src = `${server}/embed/${encodeURIComponent(asked("app"))}?${new URLSearchParams(query)}`;
      frame = make("iframe", { part: "frame", title: "Chat", allow: "clipboard-write", src });
      page = import(`${server}/widget-page.js`);
      box.replaceChildren(frame);
      if (!inline) frame.focus();
    };
    const turn = (isOpen) => {
      if (isOpen !== box.hidden || (inline && !isOpen)) return;
      box.hidden = !isOpen;
      show();
      if (inline) return;
      if (!isOpen && pushed && history.state?.loopwire === pushed) history.back();
      pushed = isOpen && matchMedia("(max-width:639px)").matches && Math.random();
      if (pushed) history.pushState({ ...history.state, loopwire: pushed }, "");
      (isOpen ? box.lastChild : launcher).focus();
      tell(isOpen ? "loopwire/opened" : "loopwire/closed");
      emit(isOpen ? "open" : "close");
    };
    const listeners = {
      close: () => turn(false),
      initialized: () => emit("ready"),
      "size-changed": ({ height }) => inline && (box.style.height = height + "px"),
    };
    const on = (target, name, act) => target.addEventListener(name, act, end);

    // The frame asks with a nonce; a window that is not our frame, or not of our server, gets no port.
    on(window, "message", ({ source, origin, data }) => {
      if (!frame || source !== frame.contentWindow || origin !== server || data?.method !== "ui/initialize") return;
      const { port1, port2 } = new MessageChannel();
      port = port1;
      page.then(({ serve }) => serve(host, port, said));
      port.onmessage = ({ data: { method, params } }) => listeners[method.split("/").pop()]?.(params);
      const hostContext = { ...context(), loopwire: { closable: !inline, open: !box.hidden } };
      source.postMessage({ jsonrpc: "2.0", id: data.id, result: { hostContext } }, server, [port2]);
    });
    on(window, "popstate", () => pushed && history.state?.loopwire !== pushed && turn(false));
    on(document, "keydown", ({ key }) => key === "Escape" && turn(false));
    launcher.onclick = () => turn(box.hidden);
    launcher.onpointerenter = launcher.onfocus = () => isFree() && shadow.append(link);
    chats.add(host);
    shadow.adoptedStyleSheets = [sheet];
    shadow.replaceChildren(inline ? "" : launcher, box);
    show();
    if (inline) turn(true);
    Object.assign(host, {
      open: () => turn(true),
      close: () => turn(false),
      toggle: launcher.onclick,
      show,
      change: () => (show(), tell("ui/notifications/host-context-changed", context())),
      leave() {
        end.abort();
        port?.close();
        shadow.replaceChildren();
      },
    });
  }

  class Chat extends HTMLElement {
    static observedAttributes = ["theme", "language", "accent"];
    connectedCallback() {
      if (!chats.has(this)) begin(this);
    }
    disconnectedCallback() {
      queueMicrotask(() => this.isConnected || this.destroy());
    }
    attributeChangedCallback() {
      if (chats.has(this)) this.change();
    }
    destroy() {
      this.remove();
      if (chats.delete(this)) this.leave();
    }
  }

  const api = {
    consent() {
      agreed = true;
      api.show();
    },
    push: (...calls) => calls.forEach(([name, ...given]) => api[name](...given)),
    mount(from) {
      const { app, mode } = from.dataset;
      const inline = mode === "inline";
      if (!app || (!inline && document.querySelector("html>" + NAME))) return;
      const made = document.createElement(NAME);
      for (const name in from.dataset) made.setAttribute(name, from.dataset[name]);
      // Beside the body, which some sites replace when they go to another page: a frame that is moved begins anew.
      if (inline) from.after(made);
      else root.append(made);
    },
  };
  for (const name of ["open", "close", "toggle", "show", "destroy"]) api[name] = () => chats.forEach((each) => each[name]());
  for (const name of ["identify", "setContext", "registerTool"]) api[name] = (...given) => new Promise((...ends) => said.push([name, given, ends]));
  customElements.define(NAME, Chat);
  window.Loopwire = api;
  api.mount(script);
  if (early?.at) api.push(...early);
})();
