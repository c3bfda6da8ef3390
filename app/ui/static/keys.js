/* Keys of the whole window. Never AltGr, never while an input method composes; Command stands in for Ctrl on a Mac. */

import {openGoTo, openKeySheet} from './key_sheet.js';
import {openReplace} from './replace.js';

export const listenToKeys = (bench, root) => {
  const isOurs = () => root.isConnected && (root.contains(document.activeElement) || document.activeElement === document.body) && !root.querySelector('dialog[open]');
  document.addEventListener('keydown', event => {
    if (event.isComposing || event.keyCode === 229 || event.getModifierState('AltGraph') || !isOurs()) return;
    const action = find(bench, event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }, true);
};

const find = (bench, event) => {
  const {code, altKey: alt, shiftKey: shift} = event;
  const control = event.ctrlKey || event.metaKey;
  const {segment, list} = bench;
  const isInField = document.activeElement === segment.field.area;
  const isInProposal = segment.proposal.line.contains(document.activeElement);
  const isInSource = segment.sourceHost.contains(document.activeElement);
  const isInOtherInput = !isInField && document.activeElement?.tagName === 'INPUT';
  if (isInField && segment.completion.isShown && !alt && !event.metaKey && !shift) {
    if (code === 'Tab' && !control && segment.completion.isAtCaret) return () => segment.completion.take(false);
    if (code === 'ArrowRight' && control && segment.completion.isAtCaret) return () => segment.completion.take(true);
    if (code === 'Escape' && !control) return () => segment.completion.dismiss();
  }
  if (control && !alt && !shift && (code === 'Enter' || code === 'NumpadEnter')) return () => segment.confirm();
  if (control && !alt && code === 'KeyZ' && !isInOtherInput) return () => segment.step(!shift);
  if (control && !alt && !shift && code === 'KeyY' && !isInOtherInput) return () => segment.step(false);
  if (event.ctrlKey && !event.metaKey && !alt && !shift && code === 'KeyH') return () => openReplace(bench);
  if (control && !alt && !shift && code === 'KeyG') return () => openGoTo(bench);
  if (shift && !control && !alt && code === 'F3' && isInField) return () => segment.changeCase();
  if (alt && !control && !shift && /^Digit[1-5]$/.test(code)) return () => bench.side.memory.insert(Number(code[5]) - 1);
  if (alt && !control && !shift && code === 'KeyM') return () => bench.side.openMemory();
  if (alt && !control && !shift && code === 'KeyI' && !isInOtherInput) return () => segment.copySource();
  if (control && !alt && !shift && code === 'KeyK') return () => { list.searchField.focus(); list.searchField.select(); };
  if (control && !alt && !shift && code === 'ArrowUp' && (isInProposal || isInSource)) return () => segment.alignment.focusSource();
  if (control && !alt && !shift && code === 'ArrowUp' && !isInOtherInput) return () => segment.proposal.focusWord(segment.proposal.current);
  if (control && !alt && !shift && code === 'ArrowDown' && isInProposal) return () => segment.focusField();
  if (control && !alt && !shift && code === 'ArrowDown' && isInSource) return () => segment.proposal.focusWord(segment.proposal.current);
  if (alt && !control && !shift && code === 'KeyP') return () => segment.pinSelection();
  if (alt && !control && shift && code === 'KeyP') return () => segment.widen();
  if (alt && !control && shift && code === 'KeyX') return () => segment.split();
  if (alt && !control && shift && code === 'KeyJ') return () => segment.merge();
  if (alt && !control && !shift && code === 'KeyR') return () => segment.rest.ask();
  if (alt && !control && !shift && code === 'KeyC') return () => segment.completion.ask();
  if (alt && !control && !shift && code === 'KeyA') return () => segment.askAlternatives();
  if (alt && !control && !shift && code === 'KeyH') return () => openKeySheet(bench);
  if (alt && !control && !shift && (code === 'ArrowUp' || code === 'ArrowDown')) {
    return () => { const next = list.neighbour(code === 'ArrowUp' ? -1 : 1); if (next !== null) bench.openSegment(next); };
  }
  if (code === 'F6' && !alt && !control) return () => bench.focusNextPart(shift ? -1 : 1);
  return null;
};
