/* Data kept in the browser: single values, and drafts. Storage may be off or full: then nothing is kept, and nothing
   fails. */

/** @param {'local' | 'session'} kind */
const storageOf = kind => (kind === 'local' ? localStorage : sessionStorage);

/**
 * The value of a key, or null.
 * @param {'local' | 'session'} kind for this browser, or for this tab
 * @param {string} key
 */
export const readStored = (kind, key) => {
  try {
    return storageOf(kind).getItem(key);
  } catch {
    return null;
  }
};

/**
 * Returns whether the value was stored.
 * @param {'local' | 'session'} kind
 * @param {string} key
 * @param {string} value
 */
export const writeStored = (kind, key, value) => {
  try {
    storageOf(kind).setItem(key, value);
    return true;
  } catch {
    return false;
  }
};

/* Drafts: texts that were typed and that the server has not stored yet, each with the server's text at that time. */
const PREFIX = 'pinpoint:draft:';
/**
 * @param {string} token
 * @param {number} index
 */
const keyOf = (token, index) => `${PREFIX}${token}:${index}`;
/**
 * @template T
 * @param {() => T} action
 */
const guarded = action => {
  try {
    return action();
  } catch {
    return null;
  }
};
/**
 * @param {string} key
 * @returns {{text: string, base: string | null} | null}
 */
const readDraft = key => guarded(() => JSON.parse(localStorage.getItem(key) ?? 'null'));

/**
 * The arguments of a command as they are sent now; earlier versions kept the parts of the constraints one by one.
 * @param {CommandArgs} args
 * @returns {CommandArgs}
 */
const inOneValue = ({segment, origin, constraints, beginning, previous, ...parts}) => ({
  segment,
  constraints: {pin_sources: [], ...(constraints ?? {...parts, prefix: beginning, follow: previous ?? ''})},
  origin,
});

/* Sets of constraints that the server has not stored yet, as the arguments of their command. */
const CONSTRAINTS_PREFIX = 'pinpoint:constraints:';

export const unsentConstraints = {
  /**
   * @param {string} token
   * @param {CommandArgs} args
   */
  keep: (token, args) => {
    writeStored('local', `${CONSTRAINTS_PREFIX}${token}:${args.segment}`, JSON.stringify(args));
  },
  /**
   * Removes the set of a segment, unless a newer one was kept.
   * @param {string} token
   * @param {CommandArgs} args
   */
  drop: (token, args) => {
    const key = `${CONSTRAINTS_PREFIX}${token}:${args.segment}`;
    if (readStored('local', key) === JSON.stringify(args)) guarded(() => localStorage.removeItem(key));
  },
  /**
   * The kept sets of a session.
   * @param {string} token
   * @returns {CommandArgs[]}
   */
  list: token =>
    (guarded(() => Object.keys(localStorage)) ?? [])
      .filter(key => key.startsWith(`${CONSTRAINTS_PREFIX}${token}:`))
      .flatMap(key => guarded(() => JSON.parse(localStorage.getItem(key) ?? 'null')) ?? [])
      .map(inOneValue),
};

export const drafts = {
  /**
   * @param {string} token
   * @param {number} index
   * @param {string} text
   * @param {string | null} [base] the server's text; an older draft's base is kept
   */
  keep: (token, index, text, base) => {
    const key = keyOf(token, index);
    writeStored('local', key, JSON.stringify({text, base: readDraft(key)?.base ?? base ?? null}));
  },
  /**
   * Removes a draft if it has this text; without a text, whatever it has.
   * @param {string} token
   * @param {number} index
   * @param {string | null} [text]
   */
  drop: (token, index, text = null) => {
    const kept = readDraft(keyOf(token, index));
    if (kept && (text === null || kept.text === text)) guarded(() => localStorage.removeItem(keyOf(token, index)));
  },
  /**
   * The drafts of a session.
   * @param {string} token
   * @returns {{index: number, text: string, base: string | null}[]}
   */
  list: token =>
    (guarded(() => Object.keys(localStorage)) ?? [])
      .filter(key => key.startsWith(`${PREFIX}${token}:`))
      .flatMap(key => {
        const kept = readDraft(key);
        const index = Number(key.slice(key.lastIndexOf(':') + 1));
        return kept && typeof kept.text === 'string' && Number.isInteger(index) ? [{...kept, index}] : [];
      }),
};
