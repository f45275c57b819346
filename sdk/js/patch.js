/** A patch that does not fit its document, which then stays as it is: nobody reads in what way. */
export class PatchError extends Error {}

/** JSON Patch (RFC 6902): the document after all operations; throws PatchError. The given document never changes. */
export function patched(document, operations) {
  return operations.reduce((changed, operation) => {
    if (!Object.hasOwn(OPERATIONS, operation.op)) throw new PatchError();
    return OPERATIONS[operation.op](changed, operation);
  }, document);
}

const OPERATIONS = {
  add: (document, operation) => put(document, keysOf(operation.path), valueOf(operation)),
  remove: (document, { path }) => dropped(document, keysOf(path)),
  replace: (document, operation) => {
    found(document, keysOf(operation.path));
    return changed(document, keysOf(operation.path), () => valueOf(operation), replaced);
  },
  move: (document, { from, path }) => {
    const [source, target] = [keysOf(from), keysOf(path)];
    if (path.startsWith(`${from}/`)) throw new PatchError();
    return put(dropped(document, source), target, found(document, source));
  },
  copy: (document, { from, path }) => put(document, keysOf(path), found(document, keysOf(from))),
  test: (document, operation) => {
    if (!same(found(document, keysOf(operation.path)), valueOf(operation)))
      throw new PatchError();
    return document;
  },
};

const put = (document, keys, value) => changed(document, keys, () => value, inserted);
const dropped = (document, keys) => changed(document, keys, () => null, removed);
const found = (document, keys) => keys.reduce(child, document);

function keysOf(pointer) {
  if (pointer === "") return [];
  if (!pointer?.startsWith?.("/")) throw new PatchError();
  return pointer.slice(1).split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueOf(operation) {
  if (operation.value === undefined) throw new PatchError();
  return operation.value;
}

function indexOf(key, size) {
  if (!/^(0|[1-9][0-9]*)$/.test(key) || Number(key) >= size) throw new PatchError();
  return Number(key);
}

/** Copy the containers on the way to the last key, where `edit` makes the innermost copy. */
function changed(document, keys, value, edit) {
  if (keys.length === 0) return value();
  const [first, ...rest] = keys;
  if (rest.length === 0) return edit(container(document, first), first, value());
  return replaced(document, first, changed(child(document, first), rest, value, edit));
}

function container(value, key) {
  if (typeof value !== "object" || value === null) throw new PatchError();
  return value;
}

function child(parent, key) {
  if (Array.isArray(parent)) return parent[indexOf(key, parent.length)];
  if (!Object.hasOwn(container(parent, key), key)) throw new PatchError();
  return parent[key];
}

function replaced(parent, key, value) {
  return Array.isArray(parent) ? parent.with(indexOf(key, parent.length), value) : { ...parent, [key]: value };
}

function inserted(parent, key, value) {
  if (!Array.isArray(parent)) return { ...parent, [key]: value };
  const size = parent.length;
  return parent.toSpliced(key === "-" ? size : indexOf(key, size + 1), 0, value);
}

function removed(parent, key) {
  child(parent, key);
  if (Array.isArray(parent)) return parent.toSpliced(indexOf(key, parent.length), 1);
  const { [key]: gone, ...rest } = parent;
  return rest;
}

/** Deep equality of JSON, whatever the order of the keys. */
export function same(one, other) {
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return one === other;
  const keys = Object.keys(one);
  return Array.isArray(one) === Array.isArray(other) && keys.length === Object.keys(other).length
    && keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]));
}
