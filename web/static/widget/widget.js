// The launcher and the frame of a chat, for pages of other sites: no text of the conversation is in such a page.
// The server sends this file without its lines of comment and its indentation, which is what its size is measured by.
(() => {
  const { documentElement: root } = document;
  // A module has no `currentScript`.
  const script = document.currentScript ?? document.querySelector("[type=module][src*='/widget']");
  const early = window.Loopwire;
  if (early?.mount) return early.mount(script);

  const server = new URL(script.src).origin;
  // What this file says itself: before anybody agreed that the frame is loaded, and where it cannot be loaded. "Chat" and "OK"
  // are so in each language.
  const WORDS = {
    de: ["Der Chat wird geladen und gespeichert bei ", "Nicht jetzt", "Der Chat öffnet sich nicht.", "Erneut versuchen", "Schließen"],
    en: ["The chat is loaded and stored at ", "Not now", "The chat does not open.", "Try again", "Close"],
    es: ["El chat se carga y guarda en ", "Ahora no", "El chat no se abre.", "Reintentar", "Cerrar"],
    fr: ["Le chat est chargé et conservé sur ", "Plus tard", "Le chat ne s’ouvre pas.", "Réessayer", "Fermer"],
    pt: ["O chat é carregado e guardado em ", "Agora não", "O chat não abre.", "Tentar de novo", "Fechar"],
  };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
:host{all:initial!important;display:block!important;direction:ltr!important}
button,div{position:fixed;box-shadow:var(--loopwire-shadow,0 8px 32px #0006);z-index:var(--loopwire-z-index,2147483000);right:var(--loopwire-x,24px);bottom:var(--loopwire-y,24px)}
button{width:var(--loopwire-size,56px);height:var(--loopwire-size,56px);border:1px solid #8884;border-radius:50%;background:var(--loopwire-accent,#2343c3);color:var(--loopwire-on-accent,lch(from var(--loopwire-accent,#2343c3) calc((49 - l)*1e4) 0 0));cursor:pointer}
i{display:block;width:0;margin:auto;border:12px solid;clip-path:path("M3 4h18v13H11l-5 4v-4H3z")}
p{margin:24px}
div{outline:1px solid #8884;font:16px/24px var(--loopwire-font,system-ui);margin-bottom:72px;width:min(var(--loopwire-width,400px),100vw - 48px);overflow:hidden;border-radius:var(--loopwire-radius,18px);background:var(--loopwire-background,#fcfcfa)}
div:has(iframe){height:min(var(--loopwire-height,680px),100dvh - 120px)}
iframe{width:100%;height:100%;border:0}
p~button{position:static;width:auto;margin:0 0 24px 24px;height:44px;padding:0 24px;border-radius:24px;font:inherit;box-shadow:none}
p+button+button{color:inherit;background:0}
[part=close]{position:absolute;width:44px;height:44px;top:6px;right:6px;font:28px system-ui;color:inherit;background:0;box-shadow:none}
:host([position=left])>*{left:var(--loopwire-x,24px)}
:host([mode=inline]) div{position:static;width:auto;margin:0}
:host([mode=inline]) div:has(iframe){height:var(--loopwire-height,640px)}
:host([mode=sidebar]) div:has(iframe){--loopwire-x:0px;bottom:0;height:100dvh;margin:0;border-radius:0}
@media(max-width:639px){:host(:not([mode=inline])) div:has(iframe){inset:0;width:auto;height:100dvh;margin:0;border-radius:0}}`);
  // What the page said before a frame was there (`page.js` says it then).
  const said = [];
  const chats = new Set();
  let agreed, page;

  function make(name, properties, ...inside) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  }

  function tell(name, detail, from = document) {
    from.dispatchEvent(new CustomEvent("loopwire:" + name, { bubbles: true, detail }));
  }

  function begin(host) {
    const end = new AbortController();
    const asked = (name) => host.getAttribute(name) || "";
    const emit = (name, detail) => tell(name, detail, host);
    const mode = asked("mode");
    const inline = mode === "inline";
    const shadow = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const launcher = make("button", { part: "launcher", ariaLabel: "Chat" }, make("i"));
    const link = make("link", { rel: "preconnect", href: server });
    const box = make("div", { part: "window", role: "group", ariaLabel: "Chat", hidden: !inline });

    const context = () => ({
      theme: asked("theme") || getComputedStyle(root).colorScheme,
      locale: (asked("language") || root.lang || navigator.language).slice(0, 2),
      accent: asked("accent"),
    });
    const isFree = () => agreed || !asked("consent");
    const words = () => WORDS[context().locale] ?? WORDS.en;
    const show = () => {
      launcher.ariaExpanded = !box.hidden;
      if (asked("accent")) host.style.setProperty("--loopwire-accent", asked("accent"));
      if (box.hidden || !chat.failed) return;
      if (isFree()) return load();
      const no = make("button", { onclick: host.close, hidden: inline }, words()[1]);
      box.replaceChildren(make("p", 0, words()[0] + server), make("button", { onclick: api.consent }, "OK"), no);
    };
    // The address of a document that another one wrote may name no origin: the View of `mcp_app.js` says which one it has.
    const load = () => {
      const query = new URLSearchParams({ ...context(), service: asked("service"), height: asked("height"), mode, host: asked("host") || location.origin });
      const src = `${server}/embed/${encodeURIComponent(asked("app"))}?${query}`;
      const frame = (chat.frame = make("iframe", { part: "frame", title: "Chat", allow: "clipboard-write", src }));
      clearTimeout(chat.slow);
      chat.failed = false;
      chat.slow = setTimeout(fail, 15e3);
      // A browser may not request a module again whose request failed, but for another address.
      page ??= import(`${server}/widget-page.js?${Date.now()}`).catch(() => (page = null));
      page.then((it) => it.watch(chat)).catch(fail);
      if (shadow.activeElement) queueMicrotask(() => frame.focus());
      box.replaceChildren(make("button", { part: "close", ariaLabel: words()[4], onclick: host.close, hidden: inline }, "×"), frame);
    };
    // A frame that is only slow is shown when it comes (`page.js`).
    const fail = () => {
      if (chat.failed) return;
      chat.failed = true;
      const again = make("button", { onclick: load }, words()[3]);
      chat.frame.before(make("p", { role: "alert" }, words()[2]), again);
      if (shadow.activeElement) again.focus();
      chat.frame.hidden = true;
      emit("error", { code: "unavailable" });
    };
    const turn = (isOpen) => {
      if (inline || isOpen !== box.hidden) return;
      box.hidden = !isOpen;
      show();
      (isOpen ? box.lastChild : launcher).focus();
      emit(isOpen ? "open" : "close");
    };
    // `failed`: the next time that the window is shown loads the frame.
    const chat = { host, launcher, box, inline, server, said, api, context, emit, fail, end, failed: true };

    addEventListener("message", (event) => page?.then((it) => it?.hear(event, chat)), end);
    addEventListener("online", () => chat.failed && show(), end);
    // In the widget alone: elsewhere the key is that of the page. The frame tells of its own (`page.js`).
    shadow.addEventListener("keydown", ({ key, defaultPrevented }) => key === "Escape" && !defaultPrevented && turn(false), end);
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
      destroy() {
        host.remove();
        chats.delete(host);
        end.abort();
        clearTimeout(chat.slow);
        shadow.replaceChildren();
      },
    });
    show();
  }

  const run = async ([name, ...given]) => api[name](...given);
  const api = {
    consent() {
      agreed = true;
      api.show();
    },
    push: (...calls) => calls.forEach((call) => run(call).catch(api.report)),
    report({ code = "bad_call", message }) {
      console.error("Loopwire", code, message);
      tell("error", { code, message });
    },
    mount(from) {
      const { app, mode } = from.dataset;
      const inline = mode === "inline";
      if (!app || (!inline && document.querySelector("html>loopwire-chat"))) return;
      const made = make("loopwire-chat");
      for (const name in from.dataset) made.setAttribute(name, from.dataset[name]);
      // Beside the body, which some sites replace when they go to another page: a frame that is moved is loaded anew.
      inline ? from.after(made) : root.append(made);
    },
  };
  for (const name of ["open", "close", "toggle", "show", "destroy"]) api[name] = () => chats.forEach((each) => each[name]());
  for (const name of ["identify", "setContext", "registerTool"]) api[name] = async (...given) => (said.push([name, ...given]), {});
  customElements.define("loopwire-chat", class extends HTMLElement {
    static observedAttributes = ["accent"];
    connectedCallback() {
      chats.has(this) || begin(this);
    }
    disconnectedCallback() {
      queueMicrotask(() => this.isConnected || this.destroy());
    }
    attributeChangedCallback() {
      chats.has(this) && this.show();
    }
  });
  window.Loopwire = api;
  api.mount(script);
  if (early?.at) api.push(...early);
})();
