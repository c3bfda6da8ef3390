/* The parts of a browser that scripts without elements of their own use. Import before the scripts. */
import {readFileSync} from 'node:fs';

/** @type {Map<string, string>} */
const values = new Map();

/** A storage whose keys are its own properties, as in a browser. */
export const localStorage = new Proxy(
  {
    /** @param {string} key */
    getItem: key => values.get(key) ?? null,
    /**
     * @param {string} key
     * @param {string} value
     */
    setItem: (key, value) => {
      values.set(key, String(value));
    },
    /** @param {string} key */
    removeItem: key => {
      values.delete(key);
    },
    clear: () => values.clear(),
  },
  {
    ownKeys: () => [...values.keys()],
    getOwnPropertyDescriptor: (_, key) => ({value: values.get(String(key)), enumerable: true, configurable: true}),
  },
);

/** @type {string[]} */
export const languages = ['en'];

const fakes = {
  localStorage,
  navigator: {languages},
  document: Object.assign(new EventTarget(), {querySelectorAll: () => [], hidden: false}),
  fetch: async (/** @type {URL} */ url) => ({json: async () => JSON.parse(readFileSync(url, 'utf8'))}),
};
for (const [name, value] of Object.entries(fakes)) Object.defineProperty(globalThis, name, {value, configurable: true});

/**
 * A function that rejects the access, as of a browser whose storage is off.
 * @param {() => void} check what to do without storage
 */
export const withoutStorage = check => {
  const off = {
    get: () => {
      throw new DOMException('storage is off', 'SecurityError');
    },
    configurable: true,
  };
  Object.defineProperty(globalThis, 'localStorage', off);
  try {
    check();
  } finally {
    Object.defineProperty(globalThis, 'localStorage', {value: localStorage, configurable: true});
  }
};
