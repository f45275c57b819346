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

  /** Request a ticket as the current user. An expired bearer is renewed first, if the page passed a function. */
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

  /** Stop renewing; when the page `leaves`, an exchange under way opens no connection. */
  close(leaves) {
    if (leaves) this.#left++;
    clearTimeout(this.#timer);
  }

  // Exchanges run one after the other, so the last user that the page set counts.
  #say(given) {
    this.close();
    const left = this.#left;
    return (this.#busy = Promise.resolve(this.wait()).then(() => this.#exchange(given, left)));
  }

  async #exchange(given, left) {
    this.close();
    const again = typeof given === "function" && given;
    const token = again ? await again() : given;
    const told = await this.requests.post("/v1/identify", { token: token ?? null, ...this.chat.about() });
    [this.requests.bearer, this.#source] = [told.token, again];
    // Renew a minute before the end, or halfway through a token that lives less than two minutes.
    const early = Math.max(told.expires_in - 60, told.expires_in / 2);
    const hasLeft = left !== this.#left;
    if (again && !hasLeft) this.#timer = setTimeout(() => this.set(again).catch(() => {}), early * 1_000);
    this.#timer?.unref?.();
    return { ...told, hasLeft };
  }
}
