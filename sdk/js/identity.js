const RETRY_MS = 30_000;

/** The user of a chat: exchanges a token of the page's server for a bearer, keeps it in memory and renews it in time. */
export class Identity {
  #source;
  #busy;
  #left = 0;
  #timer;

  /** @param {{about: () => object, switchUser: (told: object) => void}} chat  says what is open, and is told the new user */
  constructor(requests, chat) {
    Object.assign(this, { requests, chat });
  }

  /** Whether a user was set, so that Loopwire issues the tickets. */
  get isKnown() {
    return Boolean(this.requests.bearer);
  }

  /** Set the user by a token, or by a function that requests one; null signs out. */
  async set(given) {
    const told = await this.#say(given);
    this.chat.switchUser(told);
    return { user: told.user, session_id: told.session_id };
  }

  /** Request a ticket as the current user. An expired or revoked bearer is replaced first, if the page passed a function. */
  async ticket(wanted) {
    try {
      return await this.requests.ticket(wanted);
    } catch (error) {
      if (error.status !== 401 || !this.#source) throw error;
      await this.#say(this.#source);
      return this.requests.ticket(wanted);
    }
  }

  /** Wait until no exchange is under way. */
  wait() {
    return this.#busy?.catch(() => {});
  }

  /** Stop renewing when the chat closes, unless the user was refused. When the page leaves, an exchange opens no connection. */
  close({ code, next }) {
    if (/^(unauthorized|identity_)/.test(code)) return;
    if (!next) this.#left++;
    clearTimeout(this.#timer);
  }

  // Exchanges run one after the other, so the last user that the page set counts.
  #say(given) {
    clearTimeout(this.#timer);
    const left = this.#left;
    return (this.#busy = Promise.resolve(this.wait()).then(() => this.#exchange(given, left)));
  }

  async #exchange(given, left) {
    clearTimeout(this.#timer);
    const again = typeof given === "function" && given;
    let pause = RETRY_MS;
    try {
      const token = again ? await again() : given;
      const told = await this.requests.post("/v1/identify", { token: token ?? null, ...this.chat.about() });
      [this.requests.bearer, this.#source] = [told.token, again];
      // Renew a minute before the end, or halfway through a token that lives less than two minutes.
      pause = 1_000 * Math.max(told.expires_in - 60, told.expires_in / 2);
      return { ...told, hasLeft: left !== this.#left };
    } finally {
      // After a failure the current user stays, and the function of that user is called once more after a pause.
      if (this.#source && left === this.#left) this.#timer = setTimeout(() => this.set(this.#source).catch(() => {}), pause);
      this.#timer?.unref?.();
    }
  }
}
