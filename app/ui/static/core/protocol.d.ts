// The messages of page and server. Written by `python -m tests.app.ui.protocol_types`; do not edit.

export type Command =
  | OpenSegment
  | LeaveSegment
  | EditText
  | SetConstraints
  | ConfirmSegment
  | ReopenSegment
  | SetComment
  | ReviewSegment
  | AddRemark
  | CheckText
  | SplitSegment
  | MergeSegments
  | FindMatches
  | FindEarlierStates
  | CountKeys
  | ReportIdle
  | Pretranslate
  | AskReading
  | FindText
  | FindInProject
  | ReplaceText
  | ConfirmMatches
  | FillMatches
  | PutTexts
  | StepBatch
  | LockSegments
  | StepLock
  | StepDivision
  | SearchMemory
  | ImportMemory
  | ChooseMatches
  | ChooseChecks
  | ChooseStyle
  | SetConsent
  | ExportNote
  | CompareReview
  | TakeReview
  | ImportGlossary
  | ImportSampleGlossary
  | ShareGlossary
  | MergeGlossary
  | RemoveGlossary
  | SwitchGlossary
  | OrderGlossaries
  | UndoGlossaryChange
  | EditTerm
  | RemoveGlossaryTerm
  | AddTerm
  | RemoveTerm
  | ListDirections
  | ListModels
  | ListPublishedModels
  | ListPairs
  | DownloadModel
  | InstallUpload
  | RemoveModel
  | SwitchModel
  | FetchModel
  | LookUpModel
  | OpenModel
  | StopModel
  | ListProjects
  | CreateProject
  | EditProject
  | ChooseSegmentation
  | RemoveSegmentation
  | ChooseProject
  | DeleteProject
  | ListMembers
  | AddMember
  | RemoveMember
  | ListDocuments
  | ListChangedDocuments
  | ListOpenDocuments
  | ListJoinedDocuments
  | ListJoinedRows
  | FindNextDocument
  | MoveDocument
  | AssignDocument
  | AssignSegments
  | ShowTotals
  | SetProjectDeadline
  | SetDocumentDeadline
  | DismissNotices
  | DeleteDocument
  | ShowActivity
  | BeginFiles
  | OpenFile
  | OpenEntry
  | ImportEntry
  | EndFiles
  | ListPackable
  | AnalyseDocuments
  | PackDocuments
  | OpenDocument
  | OpenSample
  | ResumeSession
  | RestartDocument
  | RereadDocument
  | DeleteSession;

export type GlossaryMessage =
  | AskOverview
  | AskDocumentCheck
  | AskTerms
  | AskExports
  | AskImport
  | AskImportRows;

export type Question =
  | Hello
  | Changes
  | AskAlternatives
  | AskPlaces
  | AskCompletion
  | AskRevision
  | AskRecord
  | AskPreview;

export type Reply =
  | SnapshotReply
  | ErrorReply;

export type SessionCommandName = 'open_document' | 'open_sample' | 'resume_session' | 'restart_document' | 'reread_document' | 'delete_session';

export interface CommandResults {
  open: undefined;
  leave: undefined;
  edit: undefined;
  constrain: undefined;
  confirm: BatchStep | undefined;
  reopen: undefined;
  comment: undefined;
  review: undefined;
  remark: undefined;
  check: Findings;
  split: DivisionStep;
  merge: DivisionStep;
  matches: Matches;
  earlier: EarlierStates;
  keys: undefined;
  idle: undefined;
  pretranslate: undefined;
  reading: ReadingChoice;
  find: FoundText;
  find_in_project: FoundInProject;
  replace: ReplaceStep;
  confirm_matches: BatchStep;
  fill_matches: BatchStep;
  put_texts: BatchStep;
  step: SteppedBatch;
  lock_segments: BatchStep;
  lock_step: SteppedBatch;
  division_step: OpenedSegment;
  concordance: Concordance;
  import_memory: ImportedMemory;
  choose_matches: undefined;
  choose_checks: undefined;
  choose_style: undefined;
  consent: undefined;
  export_note: ExportWarning;
  compare_review: ReviewDifferences;
  take_review: BatchStep;
  import_glossary: UsedImport;
  import_sample_glossary: ImportedGlossary;
  glossary_share: GlossaryChange;
  glossary_merge: GlossaryChange;
  glossary_remove: GlossaryChange;
  glossary_switch: GlossaryChange;
  glossary_order: GlossaryChange;
  glossary_undo: GlossaryChange;
  term_edit: EditedTerm;
  term_remove: GlossaryChange;
  add_term: AddedTerm;
  remove_term: Retranslated;
  directions: LanguagePairs;
  models: ModelOffers;
  published_models: PublishedOffers;
  model_pairs: PairOffers;
  download_model: undefined;
  install_upload: undefined;
  remove_model: RemovedModel;
  switch_model: undefined;
  fetch_model: undefined;
  look_up_model: HubOffer;
  open_model: undefined;
  stop_model: undefined;
  projects: ProjectList;
  create_project: ProjectList;
  edit_project: ProjectList;
  choose_segmentation: ProjectList;
  remove_segmentation: ProjectList;
  choose_project: ProjectList;
  delete_project: ProjectList;
  members: ProjectMembers;
  add_member: ProjectMembers;
  remove_member: ProjectMembers;
  documents: DocumentList;
  changed_documents: ChangedDocuments;
  open_documents: OpenDocuments;
  joined_documents: JoinedDocuments;
  joined_rows: JoinedPortion;
  next_document: NextDocument;
  move_document: DocumentList;
  assign_document: DocumentList;
  assign_segments: AssignedSegments;
  project_totals: ProjectTotalsView;
  set_project_deadline: ProjectTotalsView;
  set_document_deadline: ProjectTotalsView;
  dismiss_notices: undefined;
  delete_document: DocumentList;
  activity: ActivityList;
  begin_files: BegunFiles;
  open_file: OpenedFile;
  open_entry: OpenedFile;
  import_entry: ImportedMemory;
  end_files: undefined;
  packable: PackableDocuments;
  analyse: AnalysisReply;
  pack: PackedDocuments;
  open_document: ShownSession;
  open_sample: ShownSession;
  resume_session: ShownSession;
  restart_document: ShownSession;
  reread_document: ShownSession;
  delete_session: ShownSession;
}

export interface GlossaryResults {
  overview: GlossaryList;
  document: DocumentCheck;
  terms: TermsPage;
  exports: GlossaryExports;
  import: ImportReport;
  rows: ImportRows;
}

export interface RecordResults {
  report: SessionReport;
  replay: SessionReplay;
}

export interface FunctionResults {
  hello: ShownSession;
  alternatives: Alternatives;
  places: Places;
  completion: Completion;
  preview: DocumentPreview;
  upload: ImportReport | ColumnsQuestion;
  archive: BegunArchive;
}

/** The fields of every command: its `name`, and the page's version, so that the reply has only newer state.
 *
 * `since` is the page's version, `open` its open segment and `detail_since` the stamp of that segment's details.
 * Commands of one page (`client`) are numbered by `sequence`, so that each is carried out once and in order. */
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

/** Events in the documents of projects that the person manages, newest first, and what can be chosen. */
export interface ActivityList {
  rows: AuditRow[];
  is_more: boolean;
  people: string[];
  documents: NamedDocument[];
}

/** Makes a person a member of a project. */
export interface AddMember extends CommandFields {
  name: 'add_member';
  project: number;
  person: string;
}

/** Adds a remark to the conversation of translator and reviewer about a segment. */
export interface AddRemark extends CommandFields {
  name: 'remark';
  segment: number;
  text: string;
}

/** Makes a pin a term of the document, of a glossary, or of a term base of the project. */
export interface AddTerm extends CommandFields {
  name: 'add_term';
  segment: number;
  source: string;
  target: string;
  scope: 'document' | 'glossary' | 'project';
}

/** A term that was added; for a glossary, its name, its id, and the number of the term in it. */
export interface AddedTerm {
  num_retranslated: number;
  glossary?: string;
  glossary_id?: number;
  number?: number;
}

/** Another word, the sentence with it, and the fixed beginning that leads to this sentence. */
export interface AlternativeRow {
  word: string;
  text: string;
  tail: string;
  prefix: string;
  score_difference: number;
  is_term: boolean;
}

/** Other words for a word of the proposal `text`, best sentence first; `replaced` are the pins that contain it. */
export interface Alternatives {
  word: string;
  text: string;
  replaced: string[];
  rows: AlternativeRow[];
}

/** Segments with the words of their sources: in all, confirmed, locked, and those that are left. */
export interface AmountView {
  num_segments: number;
  num_words: number;
  num_segments_done: number;
  num_words_done: number;
  num_segments_locked: number;
  num_words_locked: number;
  num_segments_to_do: number;
  num_words_to_do: number;
}

/** Counts the words of documents by how much is known of them already; the files are downloaded by its key. */
export interface AnalyseDocuments extends CommandFields {
  name: 'analyse';
  documents: number[];
}

/** An analysis of documents; its files are downloaded by the key. `unit`: "words" or "characters" are counted. */
export interface AnalysisReply {
  key: string;
  unit: string;
  documents: AnalysisRow[];
}

/** The segments of a document by band. */
export interface AnalysisRow {
  session: number;
  name: string;
  counts: Record<string, SegmentCount>;
}

/** A file of an archive, by the number of its entry; `problem` is the reason why it cannot be opened.
 *
 * `is_memory`: it is a translation memory that can be imported. */
export interface ArchiveFile {
  entry: number;
  path: string;
  problem: string | null;
  is_memory: boolean;
}

/** Other words for the one behind the beginning `before` of a segment's `text`; `locked` are parts that stay. */
export interface AskAlternatives {
  token: string;
  language?: string;
  segment: number;
  text: string;
  before: string;
  locked: string[];
}

/** Asks for a continuation of `text`; if `is_requested`, also one that the model is not certain of. */
export interface AskCompletion {
  token: string;
  language?: string;
  segment: number;
  text: string;
  is_requested?: boolean;
}

/** Asks for the occurrences of the glossaries' terms in the document. */
export interface AskDocumentCheck {
  token: string;
  language?: string;
  ask: 'document';
}

/** The files in which a glossary can be saved. */
export interface AskExports {
  token: string;
  language?: string;
  ask: 'exports';
  glossary: number;
}

/** The effects of using an uploaded glossary. */
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
  shown: 'rejected' | 'held' | 'look' | 'repeat' | 'new' | 'changed' | 'same' | 'attention';
  offset: number;
}

/** Asks for the document's glossaries. */
export interface AskOverview {
  token: string;
  language?: string;
  ask: 'overview';
}

/** Other places of `pin` in a `text` of the segment, one more occurrence each.
 *
 * `moved` is the character where the occurrence begins that moves; null: all stay, and another one is put in. */
export interface AskPlaces {
  token: string;
  language?: string;
  segment: number;
  pin: string;
  text: string;
  moved?: number | null;
}

/** Asks for the blocks of the document, with the segments in each. */
export interface AskPreview {
  token: string;
  language?: string;
}

/** The import settings of the document and the possible choices; with `rules`, the parts under these rules. */
export interface AskReading extends CommandFields {
  name: 'reading';
  rules?: string[] | null;
}

/** Asks for the session's figures ("report"), or for all its moments ("replay"). */
export interface AskRecord {
  token: string;
  language?: string;
  view: 'report' | 'replay';
}

/** Asks for the words of an edited `text` that should change; `prefix` and `locked` do not change. */
export interface AskRevision {
  token: string;
  language?: string;
  segment: number;
  text: string;
  prefix: string;
  locked: string[];
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

/** Assigns a document to a member of its project; "" to nobody. */
export interface AssignDocument extends CommandFields {
  name: 'assign_document';
  session: number;
  person: string;
}

/** Assigns segments of the document to a member of its project; "" to nobody. */
export interface AssignSegments extends CommandFields {
  name: 'assign_segments';
  segments: number[];
  person: string;
}

/** The number of assigned segments, and how many of them were assigned to somebody else before. */
export interface AssignedSegments {
  num_segments: number;
  num_taken: number;
}

/** An event that a person caused; the owner has the name "".
 *
 * `segment` counts from 1, in the order of the file; `detail` is what was exported, or who joined. */
export interface AuditRow {
  wall_ms: number;
  session: number;
  seq: number;
  person: string;
  project: number;
  document: string;
  segment: number | null;
  kind: 'document' | 'text' | 'confirmation' | 'review' | 'comment' | 'constraint' | 'term' | 'project' | 'export';
  type: 'open' | 'resume' | 'close' | 'focus' | 'blur' | 'idle' | 'export' | 'error' | 'consent' | 'project' | 'forget' | 'key' | 'insert' | 'delete' | 'paste' | 'caret' | 'edit' | 'undo' | 'redo' | 'hypothesis_taken' | 'confirm' | 'reopen' | 'comment' | 'review' | 'remark' | 'lock' | 'unlock' | 'split' | 'merge' | 'pin' | 'unpin' | 'avoid' | 'unavoid' | 'beginning' | 'locked' | 'follow' | 'glossary' | 'term_shown' | 'term_used' | 'term_overridden' | 'term_added' | 'term_removed' | 'model' | 'style' | 'pretranslate' | 'decode_request' | 'decode_result' | 'alternatives' | 'places' | 'completion' | 'revision' | 'prices' | 'check_raised' | 'check_resolved' | 'checks_chosen' | 'memory_shown';
  detail: string;
}

/** A text that the translation must not contain. */
export interface Ban {
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

/** A change of many segments: the number that undoes it, and the indices of the segments. */
export interface BatchStep {
  step: number;
  segments: number[];
}

/** Starts to open a selection of files; `folder` is the name of the folder that was chosen, or empty. */
export interface BeginFiles extends CommandFields {
  name: 'begin_files';
  folder: string;
}

/** An archive that is being opened: its name and all its files. */
export interface BegunArchive {
  bundle: number;
  name: string;
  files: ArchiveFile[];
}

/** The number of an archive or a selection that is being opened. */
export interface BegunFiles {
  bundle: number;
}

/** A row without a target, which can be entered. */
export interface BlankRow {
  name: string;
  source: string;
}

/** The documents whose rows have changed; null: any may have, or may be gone. */
export interface ChangedDocuments {
  documents: DocumentRow[] | null;
  stamp: number;
}

/** Changes since `since`; see `app.ui.commands.command.CommandMessage`.
 *
 * A new question of a page (`client`) ends its earlier one. With `waits` false, the reply comes at once. `news_stamp`
 * and `list_stamp` are the stamps of the notices and of the list of documents that the page has; null: it does not
 * wait for newer ones. */
export interface Changes {
  token: string;
  language?: string;
  client?: string;
  since: number;
  open?: number | null;
  detail_since: number;
  news_stamp?: number | null;
  list_stamp?: number | null;
  waits?: boolean;
}

/** Checks a text of a segment before it is confirmed. */
export interface CheckText extends CommandFields {
  name: 'check';
  segment: number;
  text: string;
}

/** Switches checks off. */
export interface ChooseChecks extends CommandFields {
  name: 'choose_checks';
  off: ('numbers' | 'placeholders' | 'terms' | 'limits' | 'punctuation' | 'doubled' | 'length' | 'spaces')[];
}

/** The lowest match rate that documents of the project show, and the penalties of matches from elsewhere.
 *
 * All in percent. */
export interface ChooseMatches extends CommandFields {
  name: 'choose_matches';
  min_match: number;
  other_penalty: number;
  import_penalty: number;
}

/** New documents go into this project. */
export interface ChooseProject extends CommandFields {
  name: 'choose_project';
  project: number;
}

/** Gives a project the segmentation rules of a file (SRX). */
export interface ChooseSegmentation extends CommandFields {
  name: 'choose_segmentation';
  project: number;
  file: string;
  data: string;
}

/** The form of address and the domain of translations; null leaves it to the model.
 *
 * `requires_numbers`: translations have the numbers, dates and times of the source.
 * `is_kept`: new documents of the project begin with them, too. */
export interface ChooseStyle extends CommandFields {
  name: 'choose_style';
  formality?: 'formal' | 'informal' | null;
  domain?: string | null;
  requires_numbers?: boolean;
  is_kept?: boolean;
}

/** A change of a reviewer: the text before and after it, null if it stays, and new comments. */
export interface ChosenChange {
  segment: number;
  before: string;
  text: string | null;
  comments: string[];
}

/** The answer to an upload whose columns must be chosen. */
export interface ColumnsQuestion {
  table: TableView;
}

/** Shows what the reviewer has changed in a review table, without changing anything. */
export interface CompareReview extends CommandFields {
  name: 'compare_review';
  file: string;
  data: string;
}

/** A continuation of the text, or the reason why there is none. */
export interface Completion {
  completion: string;
  reason: string;
}

/** The entries of the memory with these words. */
export interface Concordance {
  words: string;
  rows: ConcordanceRow[];
}

/** An entry of the memory. */
export interface ConcordanceRow {
  source: string;
  target: string;
  origin: string;
}

/** Confirms every segment with the exact match of the memory that was filled in. */
export interface ConfirmMatches extends CommandFields {
  name: 'confirm_matches';
}

/** Confirms the segment. `origin` is set if an undo or a redo confirms it, not the person. */
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

/** Makes a project for a language pair; new documents in it go into this project. */
export interface CreateProject extends CommandFields {
  name: 'create_project';
  title: string;
  client_name: string;
  formality: 'formal' | 'informal' | null;
  domain: string | null;
  shares_memory: boolean;
  learns: boolean;
  has_review: boolean;
  direction: string;
}

/** The duration of the last decoding. */
export interface DecodeView {
  last_ms: number | null;
  tokens_per_second: number | null;
}

/** Deletes a document that this page does not show. */
export interface DeleteDocument extends CommandFields {
  name: 'delete_document';
  session: number;
}

/** Deletes a project; its documents and term bases go into the project `into`. */
export interface DeleteProject extends CommandFields {
  name: 'delete_project';
  project: number;
  into?: number | null;
}

/** Deletes the session with its document and its log. */
export interface DeleteSession extends CommandFields {
  name: 'delete_session';
}

/** Shows the notices to the person about these documents as marks in the list of documents only. */
export interface DismissNotices extends CommandFields {
  name: 'dismiss_notices';
  sessions: number[];
}

/** A split or a merge: the number that undoes it, and the segment to open. */
export interface DivisionStep {
  open: number;
  step: number;
}

/** The use of the glossaries in the document, with the terms found and the terms overridden. */
export interface DocumentCheck {
  num_segments: number;
  num_segments_hit: number;
  num_terms: number;
  num_found: number;
  num_without: number;
  num_hits: number;
  num_suppressed: number;
  num_unused: number;
  uses: TermUseView[];
  suppressed: SuppressedTerm[];
}

/** The use of an imported glossary, and how many more segments it concerns than the present glossaries. */
export interface DocumentImpact {
  num_segments: number;
  num_segments_hit: number;
  num_terms: number;
  num_found: number;
  num_without: number;
  num_hits: number;
  num_suppressed: number;
  num_unused: number;
  num_more: number;
}

/** All documents, most recently used first, and the projects that they belong to; `stamp` changes with them. */
export interface DocumentList {
  projects: ProjectRow[];
  can_create: boolean;
  has_members: boolean;
  documents: DocumentRow[];
  stamp: number;
}

/** The blocks of the document in the order of reading. */
export interface DocumentPreview {
  blocks: PreviewBlock[];
}

/** A document in the list of all documents; `assignee` is the person to whom it is assigned, or "".
 *
 * `part_assignees` are the people to whom parts of it are assigned. `due_ms` is its deadline, or that of its project. */
export interface DocumentRow {
  session: number;
  name: string;
  num_confirmed: number;
  num_segments: number;
  num_locked: number;
  last_ms: number;
  num_approved: number;
  num_returned: number;
  direction: string;
  project: number;
  due_ms: number | null;
  urgency: 'overdue' | 'soon' | '';
  assignee: string;
  part_assignees: string[];
}

/** The totals of a document. `deadline_ms` is its own, `due_ms` that of the project if it has none. */
export interface DocumentTotalsView {
  session: number;
  name: string;
  assignee: string;
  deadline_ms: number | null;
  due_ms: number | null;
  urgency: 'overdue' | 'soon' | '';
  amount: AmountView;
}

/** The document, its session and project, and its language pair; `unit` is what its words are counted in.
 *
 * `can_be_reread`: a person may choose its encoding or columns. `has_segments_choice`: they may choose what a segment
 * is. `has_comment_choice`: comments are exported only if a person asks for them. */
export interface DocumentView {
  name: string;
  session: number;
  project: ProjectName;
  notes: string[];
  can_be_reread: boolean;
  has_segments_choice: boolean;
  has_comment_choice: boolean;
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

/** A text of the person, null for the proposal, with its constraints. */
export interface EarlierStateView {
  text: string | null;
  is_confirmed: boolean;
  constraints: SegmentConstraints;
}

/** The earlier states of a segment, oldest first. */
export interface EarlierStates {
  states: EarlierStateView[];
}

/** Changes a project. */
export interface EditProject extends CommandFields {
  name: 'edit_project';
  title: string;
  client_name: string;
  formality: 'formal' | 'informal' | null;
  domain: string | null;
  shares_memory: boolean;
  learns: boolean;
  has_review: boolean;
  project: number;
}

/** The changes of the text since `before`, in order: [offset, characters removed, new text, origin]. */
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

/** The person's text for a segment; null: the machine's again.
 *
 * `rank` is that of an adopted hypothesis or alternative, from 0, `match_rate` that of an inserted match of the
 * memory, in percent. */
export interface EditText extends CommandFields {
  name: 'edit';
  client: string;
  segment: number;
  text: string | null;
  origin: 'typed' | 'hypothesis' | 'proposal' | 'rest' | 'revision' | 'alternative' | 'completion' | 'case' | 'source' | 'memory' | 'undo' | 'redo' | 'restored';
  rank?: number | null;
  match_rate?: number | null;
  reported?: EditReport | null;
}

/** The glossaries after a change of one term, and its row. */
export interface EditedTerm {
  glossaries: GlossaryView[];
  can_undo: boolean;
  num_retranslated: number;
  row: TermRow;
}

/** Forgets the files of an archive or a selection that were not opened. */
export interface EndFiles extends CommandFields {
  name: 'end_files';
  bundle: number;
}

/** `kind` is for the page's script, `message` for the person. */
export interface ErrorDetails {
  kind: string;
  message: string;
}

/** The reply to a command that changed nothing, with the reason; kind "saved" is for one that was carried out. */
export interface ErrorReply {
  ok: false;
  error: ErrorDetails;
}

/** The warning to show before a file of this kind is saved. */
export interface ExportNote extends CommandFields {
  name: 'export_note';
  kind: string;
}

/** A warning to show before a file is saved. A file that would be empty is not offered. */
export interface ExportWarning {
  note: string | null;
  is_empty: boolean;
}

/** Downloads a model of the hub. */
export interface FetchModel extends CommandFields {
  name: 'fetch_model';
  model: string;
}

/** Fills untouched segments with their best matches of the memory, from a rate in percent on. */
export interface FillMatches extends CommandFields {
  name: 'fill_matches';
  min_rate: number;
}

/** Finds the earlier texts and constraints of a segment: undo returns to them after a reload of the page. */
export interface FindEarlierStates extends CommandFields {
  name: 'earlier';
  segment: number;
}

/** Shows where the text occurs in the other documents of the project. */
export interface FindInProject extends CommandFields {
  name: 'find_in_project';
  find: string;
  replacement: string;
  matches_case: boolean;
  whole_words: boolean;
  in_confirmed: boolean;
}

/** Looks up a segment in the translation memory. */
export interface FindMatches extends CommandFields {
  name: 'matches';
  segment: number;
}

/** The next document of the project in which segments wait to be confirmed; with `to_review`, to be approved. */
export interface FindNextDocument extends CommandFields {
  name: 'next_document';
  to_review?: boolean;
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

/** A finding of a check in the text. */
export interface FindingView {
  check: 'numbers' | 'placeholders' | 'terms' | 'limits' | 'punctuation' | 'doubled' | 'length' | 'spaces';
  kind: string;
  texts: string[];
  is_error: boolean;
}

/** The findings of the checks in a text that is not confirmed yet. */
export interface Findings {
  findings: FindingView[];
}

/** The places in another document of the project. */
export interface FoundDocument {
  num_places: number;
  num_segments: number;
  num_locked: number;
  num_held: number;
  rows: FoundRow[];
  session: number;
  name: string;
}

/** The other documents of the project with the text; `num_left_out` are too many to search in. */
export interface FoundInProject {
  documents: FoundDocument[];
  num_left_out: number;
}

/** A segment with the text, and its number in its document; `runs` show the replacement. */
export interface FoundRow {
  index: number;
  number: number;
  state: 'new' | 'pretranslated' | 'edited' | 'confirmed';
  runs: [string, string][];
}

/** The places where a text can be replaced; `num_locked` and `num_held` segments with it stay as they are. */
export interface FoundText {
  num_places: number;
  num_segments: number;
  num_locked: number;
  num_held: number;
  rows: FoundRow[];
}

/** The best translation without constraints, compared with the best that has them. */
export interface FreeHypothesis {
  text: string;
  score: number;
  score_difference: number;
  runs: [string, string][];
}

/** The glossaries after a change. */
export interface GlossaryChange {
  glossaries: GlossaryView[];
  can_undo: boolean;
  num_retranslated: number;
}

/** A file type for a glossary; `note` lists the data that it cannot store, and is empty if it stores all. */
export interface GlossaryExport {
  kind: string;
  label: string;
  note: string;
}

/** The files in which a glossary can be saved. */
export interface GlossaryExports {
  exports: GlossaryExport[];
}

/** The glossaries by priority, and whether a change can be undone. */
export interface GlossaryList {
  glossaries: GlossaryView[];
  can_undo: boolean;
}

/** The glossaries in the header. */
export interface GlossarySummary {
  name: string;
  num_terms: number;
  num_glossaries: number;
}

/** One glossary of the document; `is_shared` if it is a term base of the project. */
export interface GlossaryView {
  id: number;
  name: string;
  num_terms: number;
  is_on: boolean;
  is_shared: boolean;
}

/** A page was opened or reloaded; `token` is the session that it showed before.
 *
 * `last_shown` are the sessions that this browser showed last, by the name of the person who worked. */
export interface Hello {
  token?: string | null;
  last_shown?: Record<string, string>;
  language?: string;
}

/** A GGUF file of the hub by the name under which it is downloaded, MAKER/MODEL/FILE. */
export interface HubFile {
  name: string;
  num_bytes: number;
}

/** A model of the hub: the bytes to download, and the licence that its card names, "" without one.
 *
 * Of a model that comes as GGUF `files`, one is chosen. */
export interface HubOffer {
  name: string;
  num_bytes: number;
  licence: string;
  files: HubFile[];
}

/** Imports a translation memory of an archive that is being opened. */
export interface ImportEntry extends CommandFields {
  name: 'import_entry';
  bundle: number;
  entry: number;
}

/** Uses a glossary that was uploaded: number `import`, with these fixes, and targets for empty ones.
 *
 * `decisions` are those on messy rows, `others` the decision on the messy rows without one. */
export interface ImportGlossary extends CommandFields {
  name: 'import_glossary';
  import: number;
  fixes: string[];
  fills: Record<string, string>;
  decisions: Record<string, 'accept' | 'keep' | 'leave'>;
  others: 'accept' | 'keep' | 'leave';
}

/** Imports a TMX file into the translation memory. */
export interface ImportMemory extends CommandFields {
  name: 'import_memory';
  file: string;
  data: string;
}

/** The report on an import that is not used yet. Counts and notes change while terms are checked.
 *
 * `num_proposed` counts the terms that the messy rows become if all proposals are accepted. */
export interface ImportReport {
  import: number;
  counts: Record<string, number>;
  notes: string[];
  is_checking: boolean;
  name: string;
  num_terms: number;
  num_proposed: number;
  is_replacing: boolean;
  is_table: boolean;
  document: DocumentImpact;
}

/** A row of an import: accepted, with the target before in `was`, or reported with a message. */
export interface ImportRow {
  row: number;
  verdict: 'rejected' | 'held' | 'look' | 'repeat' | 'new' | 'changed' | 'same';
  text: string;
  message: string;
  was?: string;
  kind?: string;
  fix?: RowFix | null;
  blank?: BlankRow | null;
}

/** Some rows of an import. */
export interface ImportRows {
  rows: ImportRow[];
  num_rows: number;
  offset: number;
}

/** Uses the glossary that comes with the sample document. */
export interface ImportSampleGlossary extends CommandFields {
  name: 'import_sample_glossary';
}

/** A glossary that was used without changes; `errors` are the first rows that were left out. */
export interface ImportedGlossary {
  counts: Record<string, number>;
  notes: string[];
  name: string;
  num_terms: number;
  errors: string[];
}

/** A translation memory that was imported, and how many segments were filled from it. */
export interface ImportedMemory {
  name: string;
  notes: string[];
  num_pairs: number;
  num_filled: number;
}

/** Installs the model whose files were uploaded under this id.
 *
 * `folder` is the name of their folder or ZIP file, or "". */
export interface InstallUpload extends CommandFields {
  name: 'install_upload';
  upload: string;
  folder: string;
}

/** The documents of a project in one language pair, in the order in which they were opened. */
export interface JoinedDocuments {
  documents: DocumentRow[];
}

/** Rows of a document in its order, and the stamp after which changes are asked for.
 *
 * `is_last`: they are its last rows, or all that changed; otherwise more have to be asked for, or all again. */
export interface JoinedPortion {
  stamp: number;
  rows: SegmentRow[];
  is_last: boolean;
}

/** A part of the source that the translation must contain unchanged. */
export interface KeptView {
  text: string;
  count: number;
  status: 'met' | 'unmet' | 'pending';
  reason: string;
}

/** The target languages by source language. */
export interface LanguagePairs {
  directions: Record<string, string[]>;
}

/** A confirmed segment that words of the proposal come from; `segment` is its number.
 *
 * `segment` and `index` are null in another document. `words` has the numbers of the words with the segment's share of
 * their probability, 0 to 1. */
export interface LearnedView {
  segment: number | null;
  index: number | null;
  source: string;
  target: string;
  words: [number, number][];
}

/** The person looks elsewhere: another window, another tab. */
export interface LeaveSegment extends CommandFields {
  name: 'leave';
  segment: number;
}

/** The maximum length of the translation in code points (0: no limit). `tags`: code points counted for each tag.
 *
 * `cues` are the subtitles: milliseconds, characters and lines of the source, and whether there is no other text.
 * `max_speed` is in characters per second. */
export interface LimitsView {
  max_characters: number;
  normalization: '' | 'NFC' | 'NFD';
  tags: [string, number][];
  cues: [number, number, number, boolean][];
  max_speed: number;
}

/** The documents whose rows in the list have changed since the list with that stamp. */
export interface ListChangedDocuments extends CommandFields {
  name: 'changed_documents';
  stamp: number;
}

/** The language pairs of a model; null: of the one in use. */
export interface ListDirections extends CommandFields {
  name: 'directions';
  model?: string | null;
}

/** All documents, most recently used first. */
export interface ListDocuments extends CommandFields {
  name: 'documents';
}

/** The documents of the open document's project in its language pair, for the joined list. */
export interface ListJoinedDocuments extends CommandFields {
  name: 'joined_documents';
}

/** Rows of another document: a portion from position `first` on, or those that changed since the stamp `after`. */
export interface ListJoinedRows extends CommandFields {
  name: 'joined_rows';
  session: number;
  first?: number;
  after?: number | null;
}

/** The members of a project that the person manages. */
export interface ListMembers extends CommandFields {
  name: 'members';
  project: number;
}

/** The models that can be chosen. */
export interface ListModels extends CommandFields {
  name: 'models';
}

/** The rows of the documents with these tokens, which a browser has open in tabs. */
export interface ListOpenDocuments extends CommandFields {
  name: 'open_documents';
  tokens: string[];
}

/** The documents that can be exported together with this one. */
export interface ListPackable extends CommandFields {
  name: 'packable';
}

/** The directions that two models have through a language between, and the models for one of them.
 *
 * `direction` is the wanted one; with null, it is the document's, or else the first. */
export interface ListPairs extends CommandFields {
  name: 'model_pairs';
  direction?: string | null;
}

/** All projects. */
export interface ListProjects extends CommandFields {
  name: 'projects';
}

/** The models that can be downloaded, for a direction or, with null, for the document's.
 *
 * Only with `is_update`, the list is read from the registry. */
export interface ListPublishedModels extends CommandFields {
  name: 'published_models';
  direction?: string | null;
  is_update: boolean;
}

/** Locks segments, or unlocks them: nobody changes a locked one. */
export interface LockSegments extends CommandFields {
  name: 'lock_segments';
  segments: number[];
  is_locked: boolean;
}

/** Why a segment is locked: by its file, or by a person; the owner of the server has the name "". */
export interface LockView {
  is_of_file: boolean;
  person: string;
}

/** The size and licence of a model of the hub, before it is downloaded. */
export interface LookUpModel extends CommandFields {
  name: 'look_up_model';
  model: string;
}

/** The matches of a segment, best first. */
export interface Matches {
  segment: number;
  matches: MemoryMatch[];
  num_entries: number;
}

/** An entry of the memory: how similar its source is in percent, and how it differs from the segment's.
 *
 * The penalties are taken off the rate already. `is_adapted`: the target has the numbers, placeholders and tags of the
 * segment, marked in `target_runs`. */
export interface MemoryMatch {
  rate: number;
  other_penalty: number;
  import_penalty: number;
  source: string;
  target: string;
  origin: string;
  runs: [string, string][];
  is_adapted: boolean;
  target_runs: [string, string][];
}

/** Adds the terms of a glossary to another one and removes it. */
export interface MergeGlossary extends CommandFields {
  name: 'glossary_merge';
  glossary: number;
  into: number;
}

/** Merges a segment with the next one. */
export interface MergeSegments extends CommandFields {
  name: 'merge';
  segment: number;
}

/** A model that can be chosen; `is_fit` if it translates this document's language pair.
 *
 * `needed_bytes` is the memory that loading takes. `family` is the architecture of a language model, "" for others.
 * `expected_ms` is the time of a proposal of a language model whose `median_ms` was not measured yet. */
export interface ModelOffer {
  key: string;
  name: string;
  place: 'bundled' | 'cached' | 'folder';
  directions: string[];
  num_directions: number;
  num_parameters: number;
  num_bytes: number;
  formalities: ('formal' | 'informal')[];
  domains: string[];
  problem: string;
  card: string;
  needed_bytes: number;
  family: string;
  licence: string;
  median_ms: number | null;
  expected_ms: number | null;
  is_removable: boolean;
  is_current: boolean;
  is_fit: boolean;
}

/** The models that can be chosen, the memory that is free, and whether the person may add and remove models. */
export interface ModelOffers {
  models: ModelOffer[];
  free_bytes: number;
  can_add: boolean;
  can_remove: boolean;
}

/** Two models through a language between (`language`); `is_fit` if they translate this document's language pair. */
export interface ModelPair {
  key: string;
  name: string;
  language: string;
  direction: string;
  num_missing_bytes: number;
  is_installed: boolean;
  is_current: boolean;
  is_fit: boolean;
  parts: PairedModel[];
}

/** A model that can be downloaded for a direction; `title` is empty if the list of models was never read.
 *
 * `name` and `licence` are then empty, too. `is_needed` says that no installed model has the direction. `pivot` is a
 * language where two models are offered that translate through it; `num_bytes` is then what has to be downloaded. */
export interface ModelSuggestion {
  direction: string;
  name: string;
  title: string;
  num_bytes: number;
  licence: string;
  pivot: string;
  is_needed: boolean;
}

/** The model in use; `next` names one that is loading, `fetched` is the percentage of its download.
 *
 * `pivot` is the language between if two models translate, one after the other. `is_silent`: its thread has not
 * answered for a while, as the reply's problem says. `num_learned` counts the confirmed
 * segments that proposals draw from. */
export interface ModelView {
  state: string;
  name: string;
  pivot: string;
  message: string;
  num_directions: number;
  device: string;
  is_silent: boolean;
  next: string;
  fetched: number | null;
  offered: OfferedModel | null;
  style: StyleView;
  num_learned: number;
}

/** Puts a document into another project of its language pair. */
export interface MoveDocument extends CommandFields {
  name: 'move_document';
  session: number;
  project: number;
}

/** A document by its session. */
export interface NamedDocument {
  session: number;
  name: string;
}

/** The notices to the person, newest first; `stamp` changes with them, `list_stamp` with the list of documents. */
export interface NewsView {
  stamp: number;
  list_stamp: number;
  notices: NoticeView[];
}

/** The next document of the project in which segments wait; null: there is none. */
export interface NextDocument {
  document: DocumentRow | null;
}

/** A notice to the person: something was assigned to them or taken back, or a reviewer has returned segments.
 *
 * `sender` is who did so ("": the owner), `num_segments` 0 means the whole document. A dismissed notice is only a mark
 * in the list of documents. */
export interface NoticeView {
  session: number;
  document: string;
  kind: 'assigned' | 'withdrawn' | 'returned';
  sender: string;
  num_segments: number;
  is_dismissed: boolean;
}

/** A model installed for the document that translates other languages; without a key, it is not in a list. */
export interface OfferedModel {
  key: string;
  name: string;
  directions: string[];
}

/** Opens an uploaded document. */
export interface OpenDocument extends CommandFields {
  name: 'open_document';
  file: string;
  data: string;
}

/** The rows of the documents that were asked for, in the same order; null: the person sees no such document. */
export interface OpenDocuments {
  documents: (DocumentRow | null)[];
}

/** Opens a file of an archive as a document, without showing it. */
export interface OpenEntry extends CommandFields {
  name: 'open_entry';
  bundle: number;
  entry: number;
}

/** Opens a file of a selection as a document, without showing it. */
export interface OpenFile extends CommandFields {
  name: 'open_file';
  bundle: number;
  path: string;
  data: string;
}

/** Translates with the model in a folder or file of the server, which is named by its path. */
export interface OpenModel extends CommandFields {
  name: 'open_model';
  path: string;
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

/** A file of an archive or a selection: its session with notes about it, or the reason why it was not opened.
 *
 * `token` is that of the session, or "". */
export interface OpenedFile {
  path: string;
  session: number | null;
  token: string;
  problem: string | null;
  notes: string[];
  num_segments: number;
}

/** The segment to open. */
export interface OpenedSegment {
  open: number;
}

/** The glossaries by priority, the highest first. */
export interface OrderGlossaries extends CommandFields {
  name: 'glossary_order';
  order?: number[] | null;
}

/** Makes an archive of translated documents, to be downloaded; with proposals as drafts, if wanted. */
export interface PackDocuments extends CommandFields {
  name: 'pack';
  documents: number[];
  with_proposals: boolean;
}

/** A document that can be exported with others. */
export interface PackableDocument {
  session: number;
  path: string;
  num_confirmed: number;
  num_segments: number;
  num_locked: number;
}

/** The documents that were opened together with this one, if any, then the documents of its project. */
export interface PackableDocuments {
  groups: PackableGroup[];
}

/** Documents that belong together; the `name` of a selection may be empty. */
export interface PackableGroup {
  name: string;
  kind: 'archive' | 'selection' | 'project';
  documents: PackableDocument[];
}

/** An exported document, and its unfinished segments. */
export interface PackedDocument {
  path: string;
  note: string | null;
}

/** An archive to download by its key; it contains `num_unchanged` unchanged files of the original archive. */
export interface PackedDocuments {
  key: string;
  name: string;
  documents: PackedDocument[];
  num_unchanged: number;
}

/** The target languages by source language that no single model has, and the models to use for `direction`. */
export interface PairOffers {
  pairs: Record<string, string[]>;
  direction: string;
  pair: ModelPair | null;
}

/** One model of a pair; the licence only if it has to be downloaded. */
export interface PairedModel {
  name: string;
  direction: string;
  num_bytes: number;
  is_installed: boolean;
  licence: string;
  licence_text: string;
}

/** A key or an element: its pattern, its current and possible uses, its first text, and the number of its texts. */
export interface Part {
  name: string;
  use: 'translate' | 'skip' | 'paragraph' | 'inline';
  uses: ('translate' | 'skip' | 'paragraph' | 'inline')[];
  text: string;
  num: number;
}

/** A person with their role; "" without one. */
export interface PersonName {
  name: string;
  role: 'translator' | 'reviewer' | 'manager' | 'administrator' | '';
}

/** Another person who has the document open, and their segment; the owner of the server has the name "". */
export interface PersonPlace {
  name: string;
  segment: number;
}

/** The totals of a person's segments; "" has those that are assigned to nobody. */
export interface PersonTotalsView {
  name: string;
  due_ms: number | null;
  urgency: 'overdue' | 'soon' | '';
  amount: AmountView;
}

/** A pin; `source` is the source text that it translates, if the person named it or the model knows. */
export interface PinView {
  text: string;
  status: 'met' | 'unmet' | 'pending';
  reason: string;
  source: string;
}

/** A text with the pin at another place: its characters `start` to `end`. */
export interface PlaceRow {
  text: string;
  start: number;
  end: number;
}

/** The texts with a pin at other places, best first; each place is elsewhere than those before it. */
export interface Places {
  pin: string;
  rows: PlaceRow[];
}

/** Starts or stops the translation of the whole document. */
export interface Pretranslate extends CommandFields {
  name: 'pretranslate';
  is_on: boolean;
}

/** A block of the document. A `row` has cells, in as many columns as its table; all other blocks have segments.
 *
 * `text` is untranslated text; `label` is the name of a part, the times of a subtitle, or the key of an entry. */
export interface PreviewBlock {
  kind: 'paragraph' | 'heading' | 'item' | 'row' | 'part' | 'subtitle' | 'entry' | 'code';
  segments: number[];
  level?: number;
  label?: string;
  text?: string;
  table?: number;
  num_columns?: number;
  cells?: PreviewCell[];
}

/** A cell with text, and the number of its column among the columns with text, from 0. */
export interface PreviewCell {
  column: number;
  segments: number[];
}

/** The prices of the constraints: in total, each alone (`singly`), and the difference (`together`). */
export interface PriceView {
  total: number | null;
  singly: number;
  together: number | null;
  constraints: PricedConstraint[];
  bans: PricedBan[];
}

/** The price of a ban, in log-probability. */
export interface PricedBan {
  text: string;
  case: 'exact' | 'permissive';
  price: number | null;
}

/** The price of a required text, in log-probability. */
export interface PricedConstraint {
  text: string;
  is_pinned: boolean;
  is_kept: boolean;
  terms: string[];
  price: number | null;
}

/** The progress of the translation of the whole document. */
export interface ProgressView {
  done: number;
  total: number;
  is_running: boolean;
  words_per_second: number | null;
  seconds_left: number | null;
}

/** All projects, most recently used first; whether the person may create one.
 *
 * `has_members`: people see only the projects that they are members of. */
export interface ProjectList {
  projects: ProjectRow[];
  can_create: boolean;
  has_members: boolean;
}

/** The members of a project, and the other people. */
export interface ProjectMembers {
  members: PersonName[];
  others: PersonName[];
}

/** A project; without a name of its own, "". Its choices for matches of the memory, in percent.
 *
 * `has_review`: its segments are reviewed; `may_review`: by the actor, too. `may_lock` and `may_assign`: the person
 * may lock segments, and assign parts of the document. */
export interface ProjectName {
  id: number;
  name: string;
  min_match: number;
  other_penalty: number;
  import_penalty: number;
  has_review: boolean;
  may_review: boolean;
  may_lock: boolean;
  may_assign: boolean;
}

/** A project; without a name of its own, "". `is_current`: new documents of its language pair go into it.
 *
 * `is_managed`: the person may change and delete it, its documents and its members, whose names are then in `members`. */
export interface ProjectRow {
  id: number;
  name: string;
  client: string;
  direction: string;
  formality: string;
  domain: string;
  shares_memory: boolean;
  learns: boolean;
  has_review: boolean;
  deadline_ms: number | null;
  num_documents: number;
  num_term_bases: number;
  num_terms: number;
  segmentation: SegmentationRow | null;
  is_current: boolean;
  is_managed: boolean;
  num_members: number;
  members: string[];
}

/** The totals of a project; times are milliseconds since 1970. `is_managed`: the person may set deadlines. */
export interface ProjectTotalsView {
  project: number;
  deadline_ms: number | null;
  unit: 'words' | 'characters';
  urgency: 'overdue' | 'soon' | '';
  documents: DocumentTotalsView[];
  people: PersonTotalsView[];
  amount: AmountView;
  is_managed: boolean;
}

/** The best translation: `confidence` by word, `alignment` pairs (source word, target word). */
export interface ProposalView {
  text: string;
  score: number;
  tokens: TargetRun[];
  alignment: [number, number][];
  confidence: number[];
  is_stale: boolean;
  is_first_of_more: boolean;
}

/** A model that can be downloaded; `num_here` bytes of it were downloaded already. */
export interface PublishedOffer {
  name: string;
  title: string;
  direction: string;
  num_bytes: number;
  num_parameters: number;
  num_here: number;
  quality: Record<string, number>;
  licence: string;
  licence_text: string;
  is_released: boolean;
  is_recommended: boolean;
  is_installed: boolean;
}

/** The models of the list at `address` for a direction; `read_at` is empty if the list was never read. */
export interface PublishedOffers {
  address: string;
  read_at: string;
  direction: string;
  directions: string[];
  models: PublishedOffer[];
}

/** Puts the source into segments, or empties them, in one step. */
export interface PutTexts extends CommandFields {
  name: 'put_texts';
  segments: number[];
  is_source: boolean;
}

/** One translation of the n-best list: `score` is the model's less `penalty` (see `hypothesis_rows`). */
export interface RankedHypothesis {
  text: string;
  score: number;
  score_difference: number;
  runs: [string, string][];
  rank: number;
  penalty: number;
  unmet: string[];
}

/** How the file was read: the codec, the codecs with names that can be chosen, of a table the columns of sources and
 * targets (from 0) with its first rows, and the kinds of texts that are not always offered, with those chosen.
 *
 * `segments` is what a segment is, `line_breaks` is whether line breaks end segments; null where the file decides.
 * `rules` are lines about the keys or elements `parts`, of which the first of `num_parts` are shown, and `problem`
 * names one that cannot be used; `is_kept`: the project reads new files of this format by them. */
export interface ReadingChoice {
  encoding: string;
  encodings: [string, string][];
  columns: [number, number] | null;
  rows: string[][];
  extras: string[];
  chosen_extras: string[];
  segments: 'sentence' | 'paragraph' | null;
  line_breaks: 'automatic' | 'separate' | 'join' | null;
  rules: string[];
  parts: Part[];
  problem: string;
  num_parts: number;
  is_kept: boolean;
}

/** A remark on the segment, with the text that it returned, or "". The owner of the server has the name "". */
export interface RemarkView {
  wall_ms: number;
  person: string;
  text: string;
  returned: string;
}

/** Removes a glossary from the document, and a term base from its project. */
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

/** Ends the membership of a person in a project. */
export interface RemoveMember extends CommandFields {
  name: 'remove_member';
  project: number;
  person: string;
}

/** Removes an installed model from this computer. */
export interface RemoveModel extends CommandFields {
  name: 'remove_model';
  key: string;
}

/** Takes the segmentation rules of a project away. */
export interface RemoveSegmentation extends CommandFields {
  name: 'remove_segmentation';
  project: number;
}

/** Removes a term of the document. */
export interface RemoveTerm extends CommandFields {
  name: 'remove_term';
  source: string;
  target: string;
}

/** A model that was removed, and the bytes that became free. */
export interface RemovedModel {
  name: string;
  freed_bytes: number;
}

/** Takes a confirmation back. */
export interface ReopenSegment extends CommandFields {
  name: 'reopen';
  segment: number;
  origin?: 'undo' | 'redo' | null;
}

/** A replacement, with the number of replaced texts. */
export interface ReplaceStep {
  step: number;
  segments: number[];
  num_places: number;
}

/** Replaces the text in these segments; null: in all. `session` is another document than the open one. */
export interface ReplaceText extends CommandFields {
  name: 'replace';
  find: string;
  replacement: string;
  matches_case: boolean;
  whole_words: boolean;
  in_confirmed: boolean;
  segments?: number[] | null;
  session?: number | null;
}

/** A segment at the start of the session; `number` is its place in the list now. */
export interface ReplaySegment {
  number: number;
  source: string;
  text: string;
}

/** Reports that the person has not done anything for this many milliseconds. */
export interface ReportIdle extends CommandFields {
  name: 'idle';
  segment: number;
  idle_ms: number;
}

/** The figures of one segment; `terms` are how many were met, of how many. */
export interface ReportSegment {
  index: number;
  number: number;
  state: 'new' | 'pretranslated' | 'edited' | 'confirmed';
  net_ms: number;
  words: number;
  hter: number | null;
  chrf: number | null;
  is_unchanged: boolean;
  edits: number;
  pins: number;
  terms: [number, number];
}

/** Starts the document again with another encoding, columns (from 0), texts, segments, line breaks, or rules.
 *
 * `is_kept`: new documents of this format in the project are read by these rules, too; false takes kept ones away. */
export interface RereadDocument extends CommandFields {
  name: 'reread_document';
  encoding?: string | null;
  source_column?: number | null;
  target_column?: number | null;
  extras?: string[] | null;
  segments?: 'sentence' | 'paragraph' | null;
  line_breaks?: 'automatic' | 'separate' | 'join' | null;
  rules?: string[] | null;
  is_kept?: boolean | null;
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

/** The number of segments that are translated again. */
export interface Retranslated {
  num_retranslated: number;
}

/** A part of a reviewer's text; `was` is the text before, if it was changed. */
export interface ReviewChangeRun {
  t: string;
  was?: string;
}

/** The changes in a review table, and notes about the whole file. */
export interface ReviewDifferences {
  rows: ReviewRow[];
  notes: string[];
}

/** What a reviewer changed in a segment, which has the `number` on the page; `text` is null if it stays.
 *
 * `problem` explains why the change needs a look, or if it cannot be taken over, why not. */
export interface ReviewRow {
  segment: number;
  number: number;
  before: string;
  text: string | null;
  runs: ReviewChangeRun[];
  comments: string[];
  problem: string;
  can_be_taken: boolean;
}

/** Approves or returns a text, or takes the decision back. A returned text needs a comment, unless it is a redo.
 *
 * `text` is the text that the person saw. */
export interface ReviewSegment extends CommandFields {
  name: 'review';
  segment: number;
  decision: 'approved' | 'returned' | '';
  text: string;
  comment?: string;
  origin?: 'undo' | 'redo' | null;
}

/** A fix that can be chosen by its name: the target becomes `to`, or the row is left out (null).
 *
 * The row becomes `num_terms` terms. */
export interface RowFix {
  name: string;
  to: string | null;
  num_terms: number;
}

/** Looks for words in the translation memory. */
export interface SearchMemory extends CommandFields {
  name: 'concordance';
  words: string;
}

/** What a person requires of a segment's translation; see `app.segments.segment_constraints`. */
export interface SegmentConstraints {
  pins: string[];
  terms_off: string[];
  bans: Ban[];
  prefix: string;
  locked: string[];
  follow: string;
  pin_sources: SourceOfPin[];
}

/** Segments with their words, characters without tags, and tags and placeholders. */
export interface SegmentCount {
  num_segments: number;
  num_words: number;
  num_characters: number;
  num_placeables: number;
}

/** The number of segments for each filter of the list; of states and reviews, those that are not locked. */
export interface SegmentCounts {
  all: number;
  open: number;
  edited: number;
  confirmed: number;
  attention: number;
  commented: number;
  to_review: number;
  approved: number;
  returned: number;
  locked: number;
}

/** The open segment. `target` is the person's text, null while the machine's is shown.
 *
 * `between` is the text in the language between two models; "" where one model translates. */
export interface SegmentDetails {
  index: number;
  stamp: number;
  state: 'new' | 'pretranslated' | 'edited' | 'confirmed';
  num_words: number;
  source: SourceRun[];
  terms: TermView[];
  kept: KeptView[];
  constraints: SegmentConstraints;
  pin_states: PinView[];
  ban_states: BanView[];
  prices: PriceView | null;
  is_pricing: boolean;
  conflicts: ConflictView[];
  is_pending: boolean;
  proposal: ProposalView | null;
  between: string;
  nbest: RankedHypothesis[];
  free: FreeHypothesis | null;
  notices: string[];
  target: string | null;
  machine_text: string | null;
  note: string;
  limits: LimitsView | null;
  comment: string;
  review: 'approved' | 'returned' | '';
  lock: LockView | null;
  remarks: RemarkView[];
  placeholders: string[];
  origin: 'typed' | 'hypothesis' | 'propagated' | 'memory' | null;
  is_from_memory: boolean;
  match_rate: number;
  findings: FindingView[];
  learned_from: LearnedView[];
}

/** One segment in the list. `stamp` is the version at which it changed last; an empty `source` was merged away.
 *
 * `match_rate` is the match of the memory that was filled in, otherwise the best one, in percent, or 0. `tags` are
 * the inline tags of the source by number: {1} or {/1} in the texts. `assignee` is the person to whom the segment is
 * assigned, or "". `is_held` says that the person who asks may only read it, because it is assigned to another,
 * `is_locked` that nobody may change it. */
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
  review: 'approved' | 'returned' | '';
  is_locked: boolean;
  is_repetition: boolean;
  is_from_memory: boolean;
  match_rate: number;
  can_be_filled: boolean;
  score: number | null;
  tags: Record<string, TagView>;
  assignee: string;
  is_held: boolean;
}

/** The segmentation rules of a project: the name, checksum and number of rules of their file. */
export interface SegmentationRow {
  name: string;
  sha256: string;
  num_rules: number;
}

/** An earlier session that can be continued. Locked segments are not among the confirmed ones. */
export interface SessionOffer {
  session: number;
  name: string;
  num_confirmed: number;
  num_segments: number;
  num_locked: number;
  last_ms: number;
}

/** All moments: [event, milliseconds, type, segment, text after it, detail]. */
export interface SessionReplay {
  segments: ReplaySegment[];
  moments: ([number, number, string, number | null, string | null, string])[];
}

/** The figures of a session. `origins` are [way, words], `prices` [price, kind, text, segment index, number].
 *
 * `coverage` is the share of the text that is offered, in percent; None for a format without it. `repetitions` are
 * segments and words whose source came before in the document, or occurs in other documents of the project. */
export interface SessionReport {
  name: string;
  created_ms: number;
  last_ms: number;
  num_events: number;
  idle_limit_ms: number;
  num_segments: number;
  num_confirmed: number;
  unit: 'words' | 'characters';
  num_words: number;
  num_words_confirmed: number;
  gross_ms: number;
  net_ms: number;
  words_per_hour: number | null;
  median_ms: number | null;
  hter: number | null;
  chrf: number | null;
  num_compared: number;
  num_unchanged: number;
  num_pins: number;
  num_bans: number;
  num_terms: number;
  num_terms_met: number;
  coverage: number | null;
  repetitions: [number, number];
  repetitions_elsewhere: [number, number];
  keys: Record<string, number>;
  origins: [string, number][];
  prices: [number, string, string, number, number][];
  segments: ReportSegment[];
}

/** The person's comment on a segment; an empty one is removed. */
export interface SetComment extends CommandFields {
  name: 'comment';
  segment: number;
  text: string;
}

/** Allows or forbids logging single keys. */
export interface SetConsent extends CommandFields {
  name: 'consent';
  is_given: boolean;
}

/** Sets all constraints of a segment. `rank` is that of an adopted alternative, from 0. */
export interface SetConstraints extends CommandFields {
  name: 'constrain';
  segment: number;
  constraints: SegmentConstraints;
  origin: 'person' | 'alternative' | 'rest' | 'free' | 'undo' | 'redo';
  rank?: number | null;
}

/** Sets the deadline of a document in milliseconds since 1970; null leaves it to the project. */
export interface SetDocumentDeadline extends CommandFields {
  name: 'set_document_deadline';
  session: number;
  deadline_ms: number | null;
}

/** Sets the deadline of a project in milliseconds since 1970; null removes it. The result has its totals. */
export interface SetProjectDeadline extends CommandFields {
  name: 'set_project_deadline';
  project: number;
  deadline_ms: number | null;
}

/** Makes a glossary of the document a term base of its project. */
export interface ShareGlossary extends CommandFields {
  name: 'glossary_share';
  glossary: number;
}

/** Events of a person ("" is the owner), a document and a kind, or of all; those before the place `before`. */
export interface ShowActivity extends CommandFields {
  name: 'activity';
  person?: string | null;
  session?: number | null;
  kind?: 'document' | 'text' | 'confirmation' | 'review' | 'comment' | 'constraint' | 'term' | 'project' | 'export' | null;
  before?: [number, number, number] | null;
}

/** The totals of a project by document and person, with deadlines. */
export interface ShowTotals extends CommandFields {
  name: 'project_totals';
  project: number;
}

/** Another session: the segment to open, an earlier session that could be continued, whether this one was.
 *
 * `person` is the name of the person who signed in; "" with the access token. `is_sample`: the document is the sample. */
export interface ShownSession {
  open: number;
  person: string;
  is_sample: boolean;
  offer?: SessionOffer;
  model_offer?: ModelSuggestion;
  is_continued?: boolean;
}

/** The state after a command: totals, the rows that changed, and the open segment if it changed.
 *
 * `order` comes if segments were split or merged; `offers` comes with another session; `result` is the command's own.
 * `lookups_left`: segments whose best match in the memory is not known yet. `people` are the others who are here. */
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
  lookups_left: number;
  decode: DecodeView;
  glossary: GlossarySummary | null;
  problem: string;
  keeps_keys: boolean;
  people: PersonPlace[];
  news: NewsView;
  rows: SegmentRow[];
  order?: number[];
  segment?: SegmentDetails;
  checks_off?: ('numbers' | 'placeholders' | 'terms' | 'limits' | 'punctuation' | 'doubled' | 'length' | 'spaces')[];
  offers?: SessionOffer[];
  result?: Record<string, unknown>;
}

/** The source words that a pin translates, in characters of the source. */
export interface SourceOfPin {
  text: string;
  start: number;
  end: number;
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

/** Undoes or redoes a change of many segments. `session` is another document than the open one. */
export interface StepBatch extends CommandFields {
  name: 'step';
  step: number;
  is_undo: boolean;
  session?: number | null;
}

/** Undoes or redoes a split or a merge. */
export interface StepDivision extends CommandFields {
  name: 'division_step';
  step: number;
  is_undo: boolean;
}

/** Undoes or redoes the locking or unlocking of segments. */
export interface StepLock extends CommandFields {
  name: 'lock_step';
  step: number;
  is_undo: boolean;
}

/** An undone or redone change: how many segments it changed, and how many it left because of later changes. */
export interface SteppedBatch {
  num_segments: number;
  num_left: number;
}

/** Stops a download, or a model that is still loading. */
export interface StopModel extends CommandFields {
  name: 'stop_model';
}

/** The chosen style, and the choices of the model. */
export interface StyleView {
  formality: 'formal' | 'informal' | null;
  domain: string | null;
  requires_numbers: boolean;
  formalities: ('formal' | 'informal')[];
  domains: string[];
}

/** A term that another one overrides. */
export interface SuppressedTerm {
  source: string;
  target: string;
  glossary: string;
  status: 'preferred' | 'exact' | 'do_not_translate' | 'forbidden';
  by: TermName;
  is_same_place: boolean;
  num_hits: number;
  segments: number[];
}

/** Switches a glossary on or off. */
export interface SwitchGlossary extends CommandFields {
  name: 'glossary_switch';
  glossary: number;
  is_on: boolean;
}

/** Translates with another model, or with two through a language between, which are downloaded if need be. */
export interface SwitchModel extends CommandFields {
  name: 'switch_model';
  key: string;
}

/** The first rows of a table, and the use of each column. */
export interface TableView {
  rows: string[][];
  uses: ('ignore' | 'source' | 'target' | 'source_variant' | 'variants' | 'status' | 'forbidden' | 'do_not_translate' | 'translatable' | 'case' | 'matching' | 'note' | 'domain' | 'source_language' | 'target_language' | 'source_info' | 'target_info')[];
  has_header: boolean;
}

/** An inline tag: its short name, or "", and its content in the file. */
export interface TagView {
  name: string;
  content: string;
}

/** Takes over the chosen changes of a reviewer, all or none of them. */
export interface TakeReview extends CommandFields {
  name: 'take_review';
  changes: ChosenChange[];
}

/** A piece of the proposal: `w` numbers its word; `pin`, `is_term` and `kept` are met constraints.
 *
 * `new` marks a word that is not in the text before, `was` are the words before in its place. `listed` is the list
 * that the word comes from. */
export interface TargetRun {
  t: string;
  w?: number;
  listed?: 'set_phrase' | 'lexicon';
  pin?: string;
  at?: number;
  is_term?: boolean;
  terms?: string[];
  tag?: boolean;
  kept?: boolean;
  new?: boolean;
  was?: string;
}

/** A term and its glossary. */
export interface TermName {
  source: string;
  target: string;
  glossary: string;
  status: 'preferred' | 'exact' | 'do_not_translate' | 'forbidden';
}

/** A term in the table of its glossary. */
export interface TermRow {
  number: number;
  source: string;
  target: string;
  variants: string[];
  status: 'preferred' | 'exact' | 'do_not_translate' | 'forbidden';
  case: 'any' | 'permissive' | 'exact';
  matching: 'exact' | 'lemma' | 'prefix';
  note: string;
}

/** The segments in which a term occurs, and the confirmed segments that do not use it; up to 50 of each. */
export interface TermUseView {
  source: string;
  target: string;
  glossary: string;
  status: 'preferred' | 'exact' | 'do_not_translate' | 'forbidden';
  num_hits: number;
  segments: number[];
  unused_in: number[];
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

/** Some rows of a glossary: `num_rows` match the filter, of `num_terms`. */
export interface TermsPage {
  num_rows: number;
  num_terms: number;
  offset: number;
  rows: TermRow[];
}

/** Undoes the last change of the glossaries. */
export interface UndoGlossaryChange extends CommandFields {
  name: 'glossary_undo';
}

/** The glossaries after an import, with the name and the size of the imported one. */
export interface UsedImport {
  glossaries: GlossaryView[];
  can_undo: boolean;
  num_retranslated: number;
  name: string;
  num_terms: number;
}

/** Words of the source; all and confirmed ones are those of segments that are not locked. */
export interface WordCounts {
  confirmed: number;
  all: number;
  locked: number;
}

/** Working time without pauses longer than the limit, and words confirmed per hour. */
export interface WorkView {
  net_ms: number;
  per_hour: number | null;
  idle_limit_ms: number;
}
