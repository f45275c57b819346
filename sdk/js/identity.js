/** Who talks: a token of the page's server, exchanged for a bearer that stays in memory, and fetched anew in time. */
export class Identity {
  #source;
  #busy;
  #left = 0;
  #timer;

  /** @param {{about: () => object, switchUser: (told: object) => void}} chat  what is open, and what is called with the new user */
  constructor(requests, chat) {
    Object.assign(this, { requests, chat });
  }

  /** Whether a user was set, so that Loopwire issues the tickets. */
  get isKnown() {
    return Boolean(this.requests.bearer);
  }

  /** Say who talks: a token, or a function that asks for one; null signs out. */
  async set(given) {
    const told = await this.#say(given);
    this.chat.switchUser(told);
    return { user: told.user, session_id: told.session_id };
  }

  /** Request a ticket as the current user; an expired bearer is fetched anew, where the page gave a function. */
  async ticket(wanted) {
    try {
      return await this.requests.ticket(wanted);
    } catch (error) {
      if (error.status !== 401 || !this.#source) throw error;
      await this.#say(this.#source);
      return this.requests.ticket(wanted);
    }
  }

  /** Wait until it is said who talks. */
  wait() {
    return this.#busy?.catch(() => {});
  }

  /** Ask for no token any more; where the page `leaves`, one that is on its way opens nothing. */
  close(leaves) {
    if (leaves) this.#left++;
    clearTimeout(this.#timer);
  }

  // One after the other: the last one who was named talks, however long each answer takes.
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
    // A minute before its end, or halfway where it is shorter than two.
    const early = Math.max(told.expires_in - 60, told.expires_in / 2);
    const hasLeft = left !== this.#left;
    if (again && !hasLeft) this.#timer = setTimeout(() => this.set(again).catch(() => {}), early * 1_000);
    this.#timer?.unref?.();
    return { ...told, hasLeft };
  }
}
