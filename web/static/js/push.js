/** Web Push: this browser takes messages of people while no page is open. Loaded once the visitor has turned notifications on. */

let last = Promise.resolve();

/** Subscribe this browser, or end that, after what was asked before. */
export function setPush(on) {
  last = last.catch(() => {}).then(() => change(on));
  return last;
}

/** A worker that is not there yet is waited for; where nothing is pushed nothing happens. */
async function change(on) {
  const { pushManager } = await navigator.serviceWorker.ready;
  const known = await pushManager.getSubscription();
  if (!on) {
    if (known && (await send("DELETE", { endpoint: known.endpoint }))) await known.unsubscribe();
    return;
  }
  const { key } = await (await fetch("/v1/push")).json();
  // Of another key, or of a server that pushes no more: the push service would refuse its messages.
  const stale = known && keyOf(known) !== key;
  if (stale) await known.unsubscribe();
  if (!key) return;
  const valid = known && !stale ? known : await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  await send("PUT", valid.toJSON());
}

async function send(method, body) {
  return (await fetch("/v1/push", { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).ok;
}

/** The key of a subscription, as the server writes it. */
function keyOf({ options }) {
  const text = btoa(String.fromCharCode(...new Uint8Array(options.applicationServerKey)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
