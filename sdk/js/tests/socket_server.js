/** A server's end that a test speaks for: sockets are kept in order, and what was sent can be awaited. */
export class Sockets {
  constructor() {
    this.all = [];
    this.waiting = [];
    const sockets = this;
    this.WebSocket = class {
      readyState = 0;
      sent = [];

      constructor(url, protocols) {
        Object.assign(this, { url, protocols });
        sockets.all.push(this);
        sockets.waiting.splice(0).forEach((resolve) => resolve());
      }

      send(text) {
        this.sent.push(JSON.parse(text));
      }

      close(code = 1006) {
        if (this.readyState === 3) return;
        this.readyState = 3;
        this.code = code;
        this.onclose?.({ code });
      }

      open() {
        this.readyState = 1;
        this.onopen();
      }

      say(frame) {
        this.onmessage({ data: JSON.stringify(frame) });
      }

      welcome(more = {}) {
        this.open();
        this.say({ type: "welcome", session_id: "ses_1", epoch: "1.1", seq: 0, resumed: false, resume_token: "token", ...more });
      }
    };
  }

  /** Wait for the nth socket. */
  async at(index) {
    while (this.all.length <= index) await new Promise((resolve) => this.waiting.push(resolve));
    return this.all[index];
  }
}
