// The launcher and the frame of a chat, for pages of other sites: no text of the conversation is in such a page.
// The server sends this file without its lines of comment and its indentation, which is what its size is measured by.
(() => {
  const { documentElement: root } = document;
  // A module has no `currentScript`.
  const script = document.currentScript ?? document.querySelector("[type=module][src*='/widget']");
  const early = window.Loopwire;
  if (early?.mount) return early.mount(script);

  const server = new URL(script.src).origin;
  const NAME = "loopwire-chat";
  // What this file says itself: before anybody agreed that the frame is loaded, and where it cannot be loaded. "Chat" and "OK"
  // are so in each language.
  const WORDS = {
    de: ["Der Chat kommt von ", "Der Chat öffnet sich nicht.", "Noch einmal versuchen", "Schließen"],
    en: ["The chat comes from ", "The chat does not open.", "Try again", "Close"],
    es: ["El chat viene de ", "El chat no se abre.", "Intentar otra vez", "Cerrar"],
    fr: ["Le chat vient de ", "Le chat ne s’ouvre pas.", "Réessayer", "Fermer"],
    pt: ["O chat vem de ", "O chat não abre.", "Tentar de novo", "Fechar"],
  };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
:host{all:initial!important;display:block!important;direction:ltr!important}
[hidden]{display:none!important}
button,div{position:fixed;z-index:var(--loopwire-z-index,2147483000);inset-inline-end:var(--loopwire-x,24px);bottom:var(--loopwire-y,24px)}
button{width:var(--loopwire-size,56px);height:var(--loopwire-size,56px);border:1px solid #0000;border-radius:50%;background:var(--loopwire-accent,#2343c3);color:var(--loopwire-on-accent,lch(from var(--loopwire-accent,#2343c3) calc((49 - l)*1e4) 0 0));box-shadow:var(--loopwire-shadow,0 8px 32px -4px #191b2160);cursor:pointer}
button:focus-visible{outline:2px solid var(--loopwire-accent,#2343c3);outline-offset:2px}
i{display:block;width:0;margin:auto;border:12px solid;clip-path:path("M4 4h16a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-9l-5 4v-4H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z")}
p{margin:25% 16px 16px;font:600 13px/20px var(--loopwire-font,system-ui)}
div{margin-bottom:72px;width:var(--loopwire-width,400px);max-width:calc(100vw - 48px);height:min(var(--loopwire-height,680px),100dvh - 120px);overflow:hidden;outline:1px solid #8884;border-radius:var(--loopwire-radius,18px);background:var(--loopwire-background,#fcfcfa);box-shadow:var(--loopwire-shadow,0 8px 32px -4px #191b2160)}
iframe{width:100%;height:100%;border:0}
p,p+button{direction:ltr;text-align:center}
p+button{position:static;display:block;margin:auto;width:auto;padding:0 20px;font:inherit}
[part=close]{position:absolute;inset:6px 6px auto auto;width:44px;height:44px;font:28px system-ui;color:inherit;background:0;box-shadow:none}
:host([position=left]) *{direction:rtl}
:host([mode=inline]) div{position:static;margin:0;width:auto;max-width:none;height:var(--loopwire-height,640px)}
:host([mode=sidebar]) div:has(iframe){inset-inline-end:0;bottom:0;margin:0;height:100dvh;border-radius:0}
@media(max-width:639px){:host(:not([mode=inline])) div:has(iframe){inset:0;margin:0;width:auto;max-width:none;height:100dvh;border-radius:0}}`);
  // What the page said before a frame was there (`page.js` says it then).
  const said = [];
  const chats = new Set();
  let tries = 0;
  let agreed, page;

  function make(name, properties, ...inside) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  }

  function begin(host) {
    const end = new AbortController();
    const asked = (name) => host.getAttribute(name) ?? "";
    const emit = (name, detail) => host.dispatchEvent(new CustomEvent("loopwire:" + name, { bubbles: true, detail }));
    const isFree = () => agreed || !asked("consent");
    const inline = asked("mode") === "inline";
    const shadow = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const launcher = make("button", { part: "launcher", ariaLabel: "Chat" }, make("i"));
    const box = make("div", { part: "window", role: "group", ariaLabel: "Chat", hidden: true });
    const link = make("link", { rel: "preconnect", href: server });

    const context = () => ({
      theme: asked("theme") || getComputedStyle(root).colorScheme,
      locale: (asked("language") || root.lang || navigator.language).slice(0, 2),
      accent: asked("accent"),
    });
    const words = () => WORDS[context().locale] ?? WORDS.en;
    const show = () => {
      launcher.ariaExpanded = !box.hidden;
      if (asked("accent")) host.style.setProperty("--loopwire-accent", asked("accent"));
      if (box.hidden || !chat.failed) return;
      if (isFree()) return load();
      box.replaceChildren(make("p", 0, words()[0] + server), make("button", { onclick: api.consent }, "OK"));
    };
    // The address of a document that another one wrote may name no origin: the View of `mcp_app.js` says which one it has.
    const load = () => {
      const query = { ...context(), service: asked("service"), height: asked("height"), host: asked("host") || location.origin };
      const src = `${server}/embed/${encodeURIComponent(asked("app"))}?${new URLSearchParams(query)}`;
      const frame = (chat.frame = make("iframe", { part: "frame", title: "Chat", allow: "clipboard-write", src }));
      const hadFocus = shadow.activeElement;
      clearTimeout(chat.slow);
      chat.failed = false;
      chat.slow = setTimeout(fail, 15e3);
      // A browser may not request a module again whose request failed, but for another address.
      page ??= import(`${server}/widget-page.js?${tries++}`).catch(() => (page = null));
      page.then((it) => (it ? it.watch(chat) : fail()));
      box.replaceChildren(make("button", { part: "close", ariaLabel: words()[3], onclick: host.close, hidden: inline }, "×"), frame);
      if (hadFocus) frame.focus();
    };
    // A frame that is only slow is shown when it comes (`page.js`).
    const fail = () => {
      if (chat.failed) return;
      chat.failed = true;
      const again = make("button", { onclick: load }, words()[2]);
      chat.frame.before(make("p", { role: "alert" }, words()[1]), again);
      if (shadow.activeElement) again.focus();
      chat.frame.hidden = true;
      emit("error", { code: "unavailable" });
    };
    const turn = (isOpen) => {
      if (isOpen !== box.hidden || (inline && !isOpen)) return;
      box.hidden = !isOpen;
      show();
      if (inline) return;
      (isOpen ? box.lastChild : launcher).focus();
      emit(isOpen ? "open" : "close");
    };
    // `failed`: the next time that the window is shown loads the frame.
    const chat = { host, launcher, box, inline, server, said, api, context, emit, fail, end, failed: true };
    const on = (target, name, act) => target.addEventListener(name, act, end);

    on(window, "message", (event) => page?.then((it) => it?.hear(event, chat)));
    on(window, "online", () => chat.failed && show());
    // In the widget alone: elsewhere the key is that of the page. The frame tells of its own (`page.js`).
    on(shadow, "keydown", ({ key, defaultPrevented }) => key === "Escape" && !defaultPrevented && turn(false));
    launcher.onclick = () => turn(box.hidden);
    launcher.onpointerenter = launcher.onfocus = () => isFree() && shadow.append(link);
    chats.add(host);
    shadow.adoptedStyleSheets = [sheet];
    shadow.replaceChildren(inline ? "" : launcher, box);
    Object.assign(host, {
      open: () => turn(true),
      close: () => turn(false),
      toggle: launcher.onclick,
      show,
      leave() {
        end.abort();
        clearTimeout(chat.slow);
        shadow.replaceChildren();
      },
    });
    show();
    if (inline) turn(true);
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
      if (chats.has(this)) this.show();
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
      const made = make(NAME);
      for (const name in from.dataset) made.setAttribute(name, from.dataset[name]);
      // Beside the body, which some sites replace when they go to another page: a frame that is moved begins anew.
      inline ? from.after(made) : root.append(made);
    },
  };
  for (const name of ["open", "close", "toggle", "show", "destroy"]) api[name] = () => chats.forEach((each) => each[name]());
  for (const name of ["identify", "setContext", "registerTool"]) api[name] = async (...given) => (said.push([name, ...given]), {});
  customElements.define(NAME, Chat);
  window.Loopwire = api;
  api.mount(script);
  if (early?.at) api.push(...early);
})();
