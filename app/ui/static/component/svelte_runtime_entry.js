/* Gradio calls these two functions, where other components have the runtime of Svelte. */

/**
 * @param {typeof import('./index.js').default} show
 * @param {{target: HTMLElement, props: GradioProps}} options
 */
export const mount = (show, {target, props}) => show(target, props);

/** @param {() => void} remove */
export const unmount = remove => remove();
