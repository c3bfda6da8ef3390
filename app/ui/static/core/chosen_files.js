/* Files that a person chose or dropped, with the folders that they are in. */

/** Archives of documents, and packages of translation tools. */
const ARCHIVE = /\.(zip|sdlppx|sdlrpx|mqxlz|xlz)$/i;
const MODEL_IN_ZIP = /\.(spm|safetensors)|intgemm\S*?\.bin/;
const DIRECTORY_BYTES = 65536; // at the end of a ZIP file, with the names of its files

/** @param {ChosenFile} item */
export const isArchive = ({file}) => ARCHIVE.test(file.name);

/**
 * The files of an input; `path` has the folders, if a folder was chosen.
 * @param {HTMLInputElement} input
 * @returns {ChosenFile[]}
 */
export const filesOfInput = input =>
  [...(input.files ?? [])].map(file => ({path: file.webkitRelativePath || file.name, file}));

/**
 * The files that were dropped, with those of folders; call it before the event of the drop is over.
 * @param {DataTransfer} dropped
 * @returns {Promise<ChosenFile[]>}
 */
export const filesOfDrop = async dropped => {
  const entries = [...dropped.items].map(item => item.webkitGetAsEntry?.());
  const loose = [...dropped.files].map(file => ({path: file.name, file}));
  if (!entries.some(entry => entry?.isDirectory)) return loose;
  const found = [];
  for (const entry of entries) if (entry) found.push(...(await filesOfEntry(entry, '')));
  return found;
};

/**
 * @param {FileSystemEntry} entry
 * @param {string} folder
 * @returns {Promise<ChosenFile[]>}
 */
const filesOfEntry = async (entry, folder) => {
  const path = folder + entry.name;
  if (entry.isFile) {
    const one = /** @type {FileSystemFileEntry} */ (entry);
    return [{path, file: await new Promise((resolve, reject) => one.file(resolve, reject))}];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  const found = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // up to 100 at a time
    if (!entries.length) return found;
    for (const inner of entries) found.push(...(await filesOfEntry(inner, `${path}/`)));
  }
};

/**
 * True if a ZIP file has a translation model in it, by the names of its files.
 * @param {File} file
 */
export const hasModelInside = async file => {
  try {
    const bytes = await file.slice(-DIRECTORY_BYTES).arrayBuffer();
    return MODEL_IN_ZIP.test(new TextDecoder('latin1').decode(bytes));
  } catch {
    return false; // it is gone: opening it says so
  }
};

/**
 * The content of a file as base64, or null if it cannot be read.
 * @param {File} file
 * @returns {Promise<string | null>}
 */
export const toBase64 = file =>
  new Promise(resolve => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''));
    reader.onerror = () => resolve(null);
    reader.readAsDataURL(file);
  });
