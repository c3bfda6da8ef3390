/* The types of the bundled editor library. */
export {Annotation, EditorSelection, EditorState, StateEffect, StateField, Transaction} from '@codemirror/state';
export {Decoration, EditorView, WidgetType} from '@codemirror/view';
