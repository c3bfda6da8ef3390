// The messages of page and server. Written by `python -m app.ui.typescript`; do not edit.

export type Command =
  | OpenSegment
  | LeaveSegment
  | EditText
  | SetConstraints
  | ConfirmSegment
  | ReopenSegment
  | SetComment
  | CheckText
  | SplitSegment
  | MergeSegments
  | FindMatches
  | AddTerm
  | CountKeys
  | ReportIdle
  | SetConsent
  | ChooseChecks
  | SearchMemory
  | ImportMemory
  | Pretranslate
  | FindText
  | ReplaceText
  | StepBatch
  | StepDivision
  | RemoveTerm
  | ChooseStyle
  | ExportNote
  | ListDirections
  | ListModels
  | SwitchModel
  | FetchModel
  | ListPublishedModels
  | DownloadModel
  | RemoveModel
  | StopModel
  | ImportGlossary
  | ImportSampleGlossary
  | RemoveGlossary
  | SwitchGlossary
  | OrderGlossaries
  | UndoGlossaryChange
  | EditTerm
  | RemoveGlossaryTerm
  | OpenDocument
  | OpenSample
  | ResumeSession
  | RestartDocument
  | DeleteSession;

export type GlossaryMessage =
  | AskOverview
  | AskDocumentCheck
  | AskTerms
  | AskImport
  | AskImportRows;

export type Question =
  | Hello
  | Changes
  | AskAlternatives
  | AskCompletion
  | AskRecord;

export type Reply =
  | SnapshotReply
  | ErrorReply;

/** What every command contains: its `name`, and what the page knows, so that the reply has only what is newer.
 *
 * `since` is the page's version, `open` its open segment and `detail_since` the stamp of that segment's details.
 * Commands of one page (`client`) are numbered by `sequence`, so that a late one does not replace a newer one. */
export interface CommandFields {
  token: string;
  language?: string;
  name: string;
  since: number;
  open?: number | null;
  detail_since: number;
  client?: string;
  sequence?: number;
}

/** Makes a pin a term of the document or of a glossary. */
export interface AddTerm extends CommandFields {
  name: 'add_term';
  segment: number;
  source: string;
  target: string;
  scope: 'document' | 'glossary';
}

/** Other words for word number `word` of the proposal `text`. */
export interface AskAlternatives {
  token: string;
  language?: string;
  segment: number;
  word: number;
  text: string;
}

/** How the translation could continue after `text`. */
export interface AskCompletion {
  token: string;
  language?: string;
  segment: number;
  text: string;
}

/** What the glossaries do to the document. */
export interface AskDocumentCheck {
  token: string;
  language?: string;
  ask: 'document';
}

/** What using an uploaded glossary would do. */
export interface AskImport {
  token: string;
  language?: string;
  ask: 'import';
  import: number;
}

/** A page of the rows of an uploaded glossary. */
export interface AskImportRows {
  token: string;
  language?: string;
  ask: 'rows';
  import: number;
  shown: 'rejected' | 'look' | 'repeat' | 'new' | 'changed' | 'same' | 'attention';
  offset: number;
}

/** The document's glossaries. */
export interface AskOverview {
  token: string;
  language?: string;
  ask: 'overview';
}

/** The session's figures ("report"), or every moment of it ("replay"). */
export interface AskRecord {
  token: string;
  language?: string;
  view: 'report' | 'replay';
}

/** A page of a glossary's terms. */
export interface AskTerms {
  token: string;
  language?: string;
  ask: 'terms';
  glossary: number;
  filter: string;
  offset: number;
}

/** A text that the translation must not contain. */
export interface Ban {
  text: string;
  case: 'exact' | 'permissive';
}

/** A banned text. */
export interface BanChoice {
  text: string;
  case: 'exact' | 'permissive';
}

/** A banned text in the newest translation: absent (`kept`), in conflict with a constraint, or still contained. */
export interface BanView {
  text: string;
  case: 'exact' | 'permissive';
  status: 'kept' | 'clash' | 'stands' | 'pending';
  reason: string;
}

/** What has changed since `since`; see `app.ui.commands.Command`. */
export interface Changes {
  token: string;
  language?: string;
  since: number;
  open?: number | null;
  detail_since: number;
}

/** Checks a text of a segment before it is confirmed. */
export interface CheckText extends CommandFields {
  name: 'check';
  segment: number;
  text: string;
}

/** Which checks are off. */
export interface ChooseChecks extends CommandFields {
  name: 'choose_checks';
  off: ('numbers' | 'placeholders' | 'terms' | 'punctuation' | 'doubled' | 'length' | 'spaces')[];
}

/** The form of address and the domain of translations; null leaves it to the model. */
export interface ChooseStyle extends CommandFields {
  name: 'choose_style';
  formality?: 'formal' | 'informal' | null;
  domain?: string | null;
}

/** The person is done with this segment. `origin` says that an undo or a redo confirms it, not the person. */
export interface ConfirmSegment extends CommandFields {
  name: 'confirm';
  segment: number;
  text: string;
  origin?: 'undo' | 'redo' | null;
}

/** Two requirements that contradict each other: one is kept, the other given up. */
export interface ConflictView {
  kind: string;
  kept: string;
  given_up: string;
  source: string;
  term: string;
  by: string;
}

/** Keys pressed since the last message, by class; with consent also each key and each position of the caret.
 *
 * `presses` are [milliseconds, key], `carets` [milliseconds, start, end of the selection]. */
export interface CountKeys extends CommandFields {
  name: 'keys';
  segment: number;
  counts: Record<string, number>;
  presses?: [number, string][] | null;
  carets?: [number, number, number][] | null;
}

/** How long the last decoding took. */
export interface DecodeView {
  last_ms: number | null;
}

/** Deletes the session with its document and its log. */
export interface DeleteSession extends CommandFields {
  name: 'delete_session';
}

/** The document and its language pair; `unit` is what its words are counted in. */
export interface DocumentView {
  name: string;
  notes: string[];
  direction: string;
  source_language: string;
  target_language: string;
  unit: 'words' | 'characters';
}

/** Downloads a published model and installs it. */
export interface DownloadModel extends CommandFields {
  name: 'download_model';
  model: string;
}

/** How the text changed since `before`: [offset, characters removed, new text, origin] of each change in order. */
export interface EditReport {
  before: string;
  changes: ([number, number, string, 'typed' | 'paste' | 'spelling' | 'other'])[];
}

/** Changes a term of a glossary; `number` null adds one. */
export interface EditTerm extends CommandFields {
  name: 'term_edit';
  glossary: number;
  number?: number | null;
  source: string;
  target: string;
  variants: string[];
  status: 'preferred' | 'exact' | 'do_not_translate' | 'forbidden';
  case: 'any' | 'permissive' | 'exact';
  matching: 'exact' | 'lemma' | 'prefix';
  note: string;
}

/** The person's text for a segment; null: the machine's again. `rank` is that of a hypothesis taken, from 0. */
export interface EditText extends CommandFields {
  name: 'edit';
  client: string;
  sequence: number;
  segment: number;
  text: string | null;
  origin: 'typed' | 'hypothesis' | 'proposal' | 'rest' | 'completion' | 'case' | 'source' | 'memory' | 'undo' | 'redo' | 'restored';
  rank?: number | null;
  reported?: EditReport | null;
}

/** `kind` is for the page's script, `message` for the person. */
export interface ErrorDetails {
  kind: string;
  message: string;
}

/** Nothing was changed, for the reason given. */
export interface ErrorReply {
  ok: false;
  error: ErrorDetails;
}

/** What the person should know before they save a file of this kind. */
export interface ExportNote extends CommandFields {
  name: 'export_note';
  kind: string;
}

/** Downloads a model of the hub. */
export interface FetchModel extends CommandFields {
  name: 'fetch_model';
  model: string;
}

/** Looks up a segment in the translation memory. */
export interface FindMatches extends CommandFields {
  name: 'matches';
  segment: number;
}

/** Shows where the text occurs and what replacing it would do. */
export interface FindText extends CommandFields {
  name: 'find';
  find: string;
  replacement: string;
  matches_case: boolean;
  whole_words: boolean;
  in_confirmed: boolean;
}

/** What a check found in the text. */
export interface FindingView {
  check: 'numbers' | 'placeholders' | 'terms' | 'punctuation' | 'doubled' | 'length' | 'spaces';
  kind: string;
  texts: string[];
  is_error: boolean;
}

/** The best translation without constraints, compared with the best that has them. */
export interface FreeHypothesis {
  text: string;
  score: number;
  gap: number;
  runs: string[][];
}

/** What the header shows of the glossaries. */
export interface GlossarySummary {
  name: string;
  num_terms: number;
  num_glossaries: number;
}

/** A page was opened or reloaded; `token` is the session that it showed before. */
export interface Hello {
  token?: string | null;
  language?: string;
}

/** Uses a glossary that was uploaded: number `import`, with these fixes, and targets for empty ones. */
export interface ImportGlossary extends CommandFields {
  name: 'import_glossary';
  import: number;
  fixes: string[];
  fills: Record<string, string>;
}

/** Imports a TMX file into the translation memory. */
export interface ImportMemory extends CommandFields {
  name: 'import_memory';
  file: string;
  data: string;
}

/** Uses the glossary that comes with the sample document. */
export interface ImportSampleGlossary extends CommandFields {
  name: 'import_sample_glossary';
}

/** A part of the source that the translation must contain unchanged. */
export interface KeptView {
  text: string;
  count: number;
  status: 'met' | 'unmet' | 'pending';
  reason: string;
}

/** The person looks elsewhere: another window, another tab. */
export interface LeaveSegment extends CommandFields {
  name: 'leave';
  segment: number;
}

/** The language pairs of a model; null: of the one in use. */
export interface ListDirections extends CommandFields {
  name: 'directions';
  model?: string | null;
}

/** The models that can be chosen. */
export interface ListModels extends CommandFields {
  name: 'models';
}

/** The models that can be downloaded, for a direction or, with null, for the document's.
 *
 * Only with `is_update`, the list is read from the registry. */
export interface ListPublishedModels extends CommandFields {
  name: 'published_models';
  direction?: string | null;
  is_update: boolean;
}

/** Merges a segment with the next one. */
export interface MergeSegments extends CommandFields {
  name: 'merge';
  segment: number;
}

/** The model in use; `next` names one that is loading, `fetched` is the percentage of its download. */
export interface ModelView {
  state: string;
  name: string;
  message: string;
  num_directions: number;
  next: string;
  fetched: number | null;
  style: StyleView;
}

/** Opens an uploaded document. */
export interface OpenDocument extends CommandFields {
  name: 'open_document';
  file: string;
  data: string;
}

/** Opens the sample document. */
export interface OpenSample extends CommandFields {
  name: 'open_sample';
}

/** The person goes to this segment. */
export interface OpenSegment extends CommandFields {
  name: 'open';
  segment: number;
}

/** The glossaries by priority, the highest first. */
export interface OrderGlossaries extends CommandFields {
  name: 'glossary_order';
  order?: number[] | null;
}

/** A pin; `source` is the source text that it translates, if the model knows. */
export interface PinView {
  text: string;
  status: 'met' | 'unmet' | 'pending';
  reason: string;
  source: string;
}

/** Starts or stops the translation of the whole document. */
export interface Pretranslate extends CommandFields {
  name: 'pretranslate';
  is_on: boolean;
}

/** What the constraints cost: in total, each alone (`singly`), and the difference (`together`). */
export interface PriceView {
  total: number | null;
  singly: number;
  together: number | null;
  constraints: PricedConstraint[];
  bans: PricedBan[];
}

/** What a ban costs, in log probability. */
export interface PricedBan {
  text: string;
  case: 'exact' | 'permissive';
  price: number | null;
}

/** What a required text costs, in log probability. */
export interface PricedConstraint {
  text: string;
  is_pinned: boolean;
  is_kept: boolean;
  terms: string[];
  price: number | null;
}

/** How far the translation of the whole document is. */
export interface ProgressView {
  done: number;
  total: number;
  is_running: boolean;
  words_per_second: number | null;
  seconds_left: number | null;
}

/** The best translation: `confidence` by word, `alignment` pairs (source word, target word). */
export interface ProposalView {
  text: string;
  score: number;
  tokens: TargetRun[];
  alignment: [number, number][];
  confidence: number[];
  is_stale: boolean;
}

/** One translation of the n-best list. */
export interface RankedHypothesis {
  text: string;
  score: number;
  gap: number;
  runs: string[][];
  rank: number;
  unmet: string[];
}

/** Removes a glossary from the document. */
export interface RemoveGlossary extends CommandFields {
  name: 'glossary_remove';
  glossary: number;
}

/** Removes a term from a glossary. */
export interface RemoveGlossaryTerm extends CommandFields {
  name: 'term_remove';
  glossary: number;
  number: number;
}

/** Removes an installed model from this computer. */
export interface RemoveModel extends CommandFields {
  name: 'remove_model';
  key: string;
}

/** Removes a term of the document. */
export interface RemoveTerm extends CommandFields {
  name: 'remove_term';
  source: string;
  target: string;
}

/** Takes a confirmation back. */
export interface ReopenSegment extends CommandFields {
  name: 'reopen';
  segment: number;
  origin?: 'undo' | 'redo' | null;
}

/** Replaces the text in these segments; null: in all. */
export interface ReplaceText extends CommandFields {
  name: 'replace';
  find: string;
  replacement: string;
  matches_case: boolean;
  whole_words: boolean;
  in_confirmed: boolean;
  segments?: number[] | null;
}

/** The person has done nothing for so many milliseconds. */
export interface ReportIdle extends CommandFields {
  name: 'idle';
  segment: number;
  idle_ms: number;
}

/** Starts the document again in another language pair, also with another model. */
export interface RestartDocument extends CommandFields {
  name: 'restart_document';
  direction: string;
  model?: string | null;
}

/** Continues an earlier session. */
export interface ResumeSession extends CommandFields {
  name: 'resume_session';
  session: number;
}

/** Looks for words in the translation memory. */
export interface SearchMemory extends CommandFields {
  name: 'concordance';
  words: string;
}

/** How many segments each filter of the list shows. */
export interface SegmentCounts {
  all: number;
  open: number;
  edited: number;
  confirmed: number;
  attention: number;
  commented: number;
}

/** The open segment. `target` is the person's text, null while the machine's is shown. */
export interface SegmentDetails {
  index: number;
  stamp: number;
  state: 'new' | 'pretranslated' | 'edited' | 'confirmed';
  num_words: number;
  source: SourceRun[];
  terms: TermView[];
  kept: KeptView[];
  pins: string[];
  pin_states: PinView[];
  bans: BanChoice[];
  ban_states: BanView[];
  beginning: string;
  locked: string[];
  prices: PriceView | null;
  terms_off: string[];
  conflicts: ConflictView[];
  is_pending: boolean;
  proposal: ProposalView | null;
  nbest: RankedHypothesis[];
  free: FreeHypothesis | null;
  notices: string[];
  target: string | null;
  machine_text: string | null;
  note: string;
  comment: string;
  placeholders: string[];
  origin: 'typed' | 'hypothesis' | 'propagated' | 'memory' | null;
  is_from_memory: boolean;
  findings: FindingView[];
}

/** One segment in the list. `stamp` is the version at which it changed last; an empty `source` was merged away. */
export interface SegmentRow {
  index: number;
  stamp: number;
  state: 'new' | 'pretranslated' | 'edited' | 'confirmed';
  is_queued: boolean;
  attention: string;
  source: string;
  target: string | null;
  num_pins: number;
  is_commented: boolean;
  is_repetition: boolean;
  is_from_memory: boolean;
  score: number | null;
}

/** An earlier session that can be continued. */
export interface SessionOffer {
  session: number;
  name: string;
  num_confirmed: number;
  num_segments: number;
  last_ms: number;
}

/** The person's comment on a segment; an empty one is removed. */
export interface SetComment extends CommandFields {
  name: 'comment';
  segment: number;
  text: string;
}

/** Whether single keys may be logged. */
export interface SetConsent extends CommandFields {
  name: 'consent';
  is_given: boolean;
}

/** The whole set of constraints of a segment: pins, terms switched off, bans, the prefix and locked texts. */
export interface SetConstraints extends CommandFields {
  name: 'constrain';
  client: string;
  sequence: number;
  segment: number;
  pins: string[];
  terms_off: string[];
  bans: Ban[];
  beginning: string;
  locked: string[];
  origin: 'person' | 'alternative' | 'rest' | 'undo' | 'redo';
}

/** The state after a command: what is small, the rows that changed, and the open segment if it changed.
 *
 * `order` comes if segments were split or merged; `offers` comes with another session; `result` is the command's own. */
export interface SnapshotReply {
  ok: true;
  token: string;
  version: number;
  document: DocumentView;
  model: ModelView;
  counts: SegmentCounts;
  words: WordCounts;
  work: WorkView;
  progress: ProgressView;
  decode: DecodeView;
  glossary: GlossarySummary | null;
  problem: string;
  keeps_keys: boolean;
  rows: SegmentRow[];
  order?: number[];
  segment?: SegmentDetails;
  checks_off?: ('numbers' | 'placeholders' | 'terms' | 'punctuation' | 'doubled' | 'length' | 'spaces')[];
  offers?: SessionOffer[];
  result?: Record<string, unknown>;
}

/** A piece of the source: `w` numbers its word; `term` and `at` name a glossary hit. */
export interface SourceRun {
  t: string;
  w?: number;
  term?: string;
  at?: number;
  tag?: boolean;
  kept?: boolean;
}

/** Splits a segment before a character of its source, counted in code points. */
export interface SplitSegment extends CommandFields {
  name: 'split';
  segment: number;
  offset: number;
}

/** Undoes or redoes a change of many segments. */
export interface StepBatch extends CommandFields {
  name: 'step';
  step: number;
  is_undo: boolean;
}

/** Undoes or redoes a split or a merge. */
export interface StepDivision extends CommandFields {
  name: 'division_step';
  step: number;
  is_undo: boolean;
}

/** Stops a download, or a model that is still loading. */
export interface StopModel extends CommandFields {
  name: 'stop_model';
}

/** The style chosen, and what the model offers. */
export interface StyleView {
  formality: 'formal' | 'informal' | null;
  domain: string | null;
  formalities: ('formal' | 'informal')[];
  domains: string[];
}

/** Switches a glossary on or off. */
export interface SwitchGlossary extends CommandFields {
  name: 'glossary_switch';
  glossary: number;
  is_on: boolean;
}

/** Translates with another model. */
export interface SwitchModel extends CommandFields {
  name: 'switch_model';
  key: string;
}

/** A piece of the proposal: `w` numbers its word; `pin`, `terms`, `kept` say why it is there, `ban` what is not. */
export interface TargetRun {
  t: string;
  w?: number;
  pin?: string;
  at?: number;
  terms?: string[];
  tag?: boolean;
  kept?: boolean;
  ban?: string;
}

/** A term of the segment: required or forbidden, and whether the translation complies. */
export interface TermView {
  key: string;
  source: string;
  target: string;
  status: 'met' | 'unmet' | 'pending' | 'off';
  doubt: 'misaligned' | 'doubled' | '';
  note: string;
  is_for_document: boolean;
  term_status: 'preferred' | 'exact' | 'do_not_translate' | 'forbidden';
  term_note: string;
  glossary: string;
}

/** Undoes the last change of the glossaries. */
export interface UndoGlossaryChange extends CommandFields {
  name: 'glossary_undo';
}

/** Words of the source. */
export interface WordCounts {
  confirmed: number;
  all: number;
}

/** Working time without pauses longer than the limit, and words confirmed per hour. */
export interface WorkView {
  net_ms: number;
  per_hour: number | null;
  idle_limit_ms: number;
}
