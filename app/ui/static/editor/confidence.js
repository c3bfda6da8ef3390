/* Whether the proposal shows how sure the model is of each word: chosen by the person, kept in the browser. */

const STORE_KEY = 'pinpoint:confidence';

export const isConfidenceKept = () => {
  try {
    return localStorage.getItem(STORE_KEY) === 'shown';
  } catch {
    return false;
  }
};

/**
 * @param {Segment} segment
 * @param {boolean} isShown
 */
export const showConfidence = (segment, isShown) => {
  segment.layout.confidenceButton.setAttribute('aria-pressed', String(isShown));
  segment.proposal.showConfidence(isShown);
};

/** @param {Segment} segment */
export const toggleConfidence = segment => {
  const isShown = !segment.proposal.showsConfidence;
  try {
    localStorage.setItem(STORE_KEY, isShown ? 'shown' : 'hidden');
  } catch {
    /* storage is off: for this page only */
  }
  showConfidence(segment, isShown);
};
