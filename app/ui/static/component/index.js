/* A custom component of Gradio, written without Svelte. Gradio imports this module and calls its function through `mount` of
   svelte_runtime_entry.js; `register_component` and `dispatcher` are how Gradio's own components talk to its page. */

/**
 * Shows the component that the module `props.script` draws. Returns a function that removes it.
 * @param {HTMLElement} target
 * @param {GradioProps} props
 */
export default (target, {shared_props: shared, props}) => {
  const root = document.createElement('div');
  root.className = ['pinpoint', ...(shared.elem_classes ?? [])].join(' ');
  if (shared.elem_id) root.id = shared.elem_id;
  root.hidden = shared.visible === 'hidden';
  root.textContent = props.loading ?? '';
  target.append(root);
  /** @type {Promise<{update?: (changes: Record<string, unknown>) => void, value?: () => unknown}>} */
  const shown = import(new URL(props.script, import.meta.url).href)
    .then(({show}) => show(root, shared, props))
    .catch(error => {
      root.textContent = `Pinpoint could not start: ${error.message}`;
      return {};
    });
  const update = async (/** @type {Record<string, unknown>} */ changes) => {
    if ('visible' in changes) root.hidden = changes.visible !== true;
    (await shown).update?.(changes);
  };
  const state = async () => ({...props, value: (await shown).value?.() ?? props.value});
  shared.register_component(shared.id, update, state);
  return () => {
    shared.unregister_component(shared.id, update);
    root.remove();
  };
};
