/* Types of the page. Messages of the server come from the generated protocol.d.ts. */
import type * as protocol from './protocol.js';
import type {Bench as BenchClass} from '../bench.js';
import type {Segment as SegmentClass} from '../editor/segment.js';
import type {ConstraintSet as ConstraintSetClass} from '../editor/constraint_set.js';
import type {CurrentSegment as CurrentSegmentClass} from '../editor/current_segment.js';
import type {Ledger as LedgerClass} from '../editor/ledger.js';
import type {Origins as OriginsClass} from '../editor/origins.js';
import type {Offers as OffersClass} from '../editor/offers.js';
import type {Field as FieldClass} from '../editor/field.js';
import type {TargetText as TargetTextClass} from '../editor/target_text.js';
import type {WordMarks as WordMarksClass} from '../editor/word_marks.js';

declare global {
  type Bench = BenchClass;
  type Segment = SegmentClass;
  type ConstraintSet = ConstraintSetClass;
  type CurrentSegment = CurrentSegmentClass;
  type Ledger = LedgerClass;
  type Origins = OriginsClass;
  type Offers = OffersClass;
  type Field = FieldClass;
  type TargetText = TargetTextClass;
  type WordMarks = WordMarksClass;

  /* ---- messages of the server: short names for the generated types, and what the page adds to them ---- */
  type Row = protocol.SegmentRow;
  /** Words of the source; `start` and `end` in characters, as the server counts. */
  type SourceWords = {text: string; start: number; end: number};
  /** Where words are on the screen, and the lines of their whole text. */
  type BarPlace = {words: Pick<DOMRect, 'top' | 'left'>; text: Pick<DOMRect, 'top' | 'bottom'>};
  /** A text that a bar is for: its element, and the words that are chosen, or clicked; null if the bar shall not be shown. */
  type BarHost = {area: HTMLElement; place: (isClicked: boolean) => BarPlace | null};
  /** Which place of its words a pin has, if there are several: the first is 0. */
  type ChosenPlace = {pin: string; occurrence: number};
  /** The inline tags of a source by number. */
  type Tags = Row['tags'];
  type Ban = protocol.BanChoice;
  type BanCase = Ban['case'];
  type Term = protocol.TermView;
  type Conflict = protocol.ConflictView;
  type Finding = protocol.FindingView;
  type Limits = protocol.LimitsView;
  type Hypothesis = protocol.RankedHypothesis;
  type FreeHypothesis = protocol.FreeHypothesis;
  type Prices = protocol.PriceView;
  type EarlierState = protocol.EarlierStateView;
  type LearnedView = protocol.LearnedView;
  type ConstraintPrice = protocol.PricedConstraint;
  type KeptText = protocol.KeptView;
  type Style = protocol.StyleView;
  type ModelStatus = protocol.ModelView;
  type Progress = protocol.ProgressView;
  type Work = protocol.WorkView;
  type Unit = protocol.DocumentView['unit'];
  type SessionOffer = protocol.SessionOffer;
  type ProjectRow = protocol.ProjectRow;
  type DocumentRow = protocol.DocumentRow;
  type DocumentList = protocol.DocumentList;
  type FoundDocument = protocol.FoundDocument;
  type PersonPlace = protocol.PersonPlace;
  type Notice = protocol.NoticeView;
  type NewsView = protocol.NewsView;
  type ActivityList = protocol.ActivityList;
  type ActivityRow = protocol.AuditRow;
  type PersonName = protocol.PersonName;
  type ProjectMembers = protocol.ProjectMembers;
  type BegunArchive = protocol.BegunArchive;
  type OpenedFile = protocol.OpenedFile;
  type ListedFile = OpenedFile & {memory?: {bundle: number; entry: number} | null};
  type PackableGroup = protocol.PackableGroup;
  type PackableDocument = protocol.PackableDocument;
  type PackedDocuments = protocol.PackedDocuments;
  type AnalysisReply = protocol.AnalysisReply;
  type ProjectTotals = protocol.ProjectTotalsView;
  type AnalysisRow = protocol.AnalysisRow;
  type SegmentCount = protocol.SegmentCount;
  /** A file of this computer, with its folders if a folder was chosen or dropped. */
  type ChosenFile = {path: string; file: File};
  type GlossarySummary = protocol.GlossarySummary;
  type EditReport = protocol.EditReport;
  /** [offset, code points removed, new text, origin] */
  type TextChange = EditReport['changes'][number];
  /** A part of the source or of a proposal: a word (`w` is its number), or the text between words. */
  type Run = Omit<protocol.SourceRun & protocol.TargetRun, 'at'> & {at?: number | string};
  type ProposalView = Omit<protocol.ProposalView, 'tokens'> & {tokens: Run[]};
  /** The open segment. */
  type Detail = Omit<protocol.SegmentDetails, 'source' | 'proposal'> & {source: Run[]; proposal: ProposalView | null};
  /** The reply to a command or to the watch. `result` is the command's own. */
  type Reply = (Omit<protocol.SnapshotReply, 'segment' | 'result'> & {segment?: Detail; result?: any}) | protocol.ErrorReply;
  type SuccessReply = Extract<Reply, {ok: true}>;
  type CommandName = keyof protocol.CommandResults;
  type ReplyResult<N extends CommandName> = protocol.CommandResults[N];
  type GlossaryCommand = Extract<CommandName, `glossary_${string}` | `term_${string}`>;
  type SessionCommand = protocol.SessionCommandName;
  /** The reply to one command. */
  type ReplyTo<N extends CommandName> =
    | (Omit<SuccessReply, 'result'> & {result: ReplyResult<N>})
    | protocol.ErrorReply;

  /* ---- results of commands and questions ---- */
  type HubFile = protocol.HubFile;
  type HubOffer = protocol.HubOffer;
  type ModelOffer = protocol.ModelOffer;
  type PublishedModel = protocol.PublishedOffer;
  type PublishedList = protocol.PublishedOffers;
  type ModelPair = protocol.ModelPair;
  type ModelSuggestion = protocol.ModelSuggestion;
  /** The reply to a question, such as for alternatives: its fields, or an error. */
  type Answer = {ok: boolean; error?: {message: string}; is_overtaken?: boolean; [more: string]: any};
  type Server = Record<string, (message: object) => Promise<any>>;
  type SessionPlace = {token: string; version: number; open: number; detailStamp: number; newsStamp: number; listStamp: number | null};
  /** Where a person is in a document: segment, selection of the field, and what the list shows; `top` in pixels. */
  type Place = {
    segment: number;
    start: number;
    end: number;
    list: {filter: string; search: string; isPattern: boolean; sorting: string; top: number};
  };
  /** A document that a person has open in a tab; `place` is where they were in the window that they used last. */
  type OpenDocument = {
    token: string;
    session: number;
    name: string;
    numConfirmed: number;
    numSegments: number;
    numEdited: number;
    place: Place | null;
  };
  type AlternativeRow = protocol.AlternativeRow;
  type MemoryMatch = protocol.MemoryMatch;
  type PreviewBlock = protocol.PreviewBlock;
  type Counts = Record<string, number>;
  type KeyCounts = {
    counts: Counts;
    presses: [number, string][];
    carets: [number, number, number][];
  };
  type ReportSegment = protocol.ReportSegment;
  type ReportView = protocol.SessionReport;
  type ReplayView = protocol.SessionReplay;
  type Moment = ReplayView['moments'][number];
  type DocumentGlossary = protocol.GlossaryView;
  type GlossaryOverview = protocol.GlossaryList;
  type GlossaryExport = protocol.GlossaryExport;
  type GlossaryTerm = protocol.TermName;
  type DryRunCounts = protocol.GlossaryImpact;
  type DryRun = protocol.DocumentCheck;
  type ImportReport = protocol.ImportReport;
  type ColumnsQuestion = protocol.ColumnsQuestion;
  type TableView = protocol.TableView;
  type TextPart = protocol.Part;
  type ReadingChoice = protocol.ReadingChoice;
  type ImportRow = protocol.ImportRow;
  type GridRow = protocol.TermRow;
  type GridTerm = Omit<GridRow, 'number'>;
  type GridTools = {
    ask: (question: string, args?: CommandArgs) => Promise<any>;
    change: (command: GlossaryCommand, args: CommandArgs, notice: string) => Promise<any>;
  };
  type GlossaryListTools = {
    change: (command: GlossaryCommand, args: CommandArgs, notice: string) => Promise<any>;
    showTerms: (id: number) => void;
    upload: () => void;
    ask: (question: string, args?: CommandArgs) => Promise<any>;
    fail: (problem: string) => void;
  };
  type CommandArgs = {[name: string]: any};
  type Command = {
    token: string; // of the document that it is for
    name: string;
    args: CommandArgs;
    slot: string | null;
    sequence: number;
    done: Promise<Reply>;
    resolve: (reply: Reply | Promise<Reply>) => void;
  };

  /* ---- parts of the page ---- */
  type Languages = {source: string; target: string};
  type Constraints = protocol.SegmentConstraints;
  /** A part of a revised text; `was` is the text that it replaces. */
  type RevisionRun = {t: string; was?: string};
  type Snapshot = {
    constraints: Constraints;
    text: string | null;
    isConfirmed: boolean;
    start: number;
    end: number;
    at?: number;
  };
  type Step = {
    run: (isUndo: boolean) => Promise<string>;
    isOver: (isUndo: boolean) => boolean;
    at: number;
    numPending: number; // commands of this step that are not answered yet
  };
  type NoteKind = 'info' | 'warn' | 'bad';
  type NoteAction = [label: string, act: () => unknown];
  /** A change that is shown in the text: `text` in place of what is between the offsets; `take` makes it. */
  /** What stays of a text: its beginning, and the parts behind it. */
  type Kept = Pick<Constraints, 'prefix' | 'locked'>;
  /** What is marked in the edit field: a place of the text, with the classes and attributes of its element. */
  type WordMark = {start: number; end: number; classes: string; attributes: Record<string, string>};
  type OfferedChange = {start: number; end: number; text: string; take: () => void};
  /** An editor's element with the properties of a text area. */
  /** What Gradio's page gives a custom component. */
  type GradioProps = {
    shared_props: {
      id: number;
      label?: string | null;
      show_label?: boolean;
      interactive?: boolean;
      visible: boolean | 'hidden';
      elem_id?: string | null;
      elem_classes?: string[] | null;
      server: Server;
      register_component: (id: number, update: (changes: Record<string, unknown>) => void, state: () => unknown) => void;
      unregister_component: (id: number, update: (changes: Record<string, unknown>) => void) => void;
      dispatcher: (id: number, event: string, data: unknown) => void;
    };
    props: {script: string; loading?: string; value?: unknown} & Record<string, unknown>;
  };
  type TextAreaLike = HTMLElement & Pick<HTMLTextAreaElement, 'value' | 'selectionStart' | 'selectionEnd' | 'readOnly'> & {
    setSelectionRange: (start: number, end: number) => void;
  };
  type WordSide = {side: number; word: number};

  /** The elements of the open segment. */
  type SegmentLayout = {
    columns: HTMLElement;
    element: HTMLElement;
    no: HTMLElement;
    stateIcon: HTMLElement;
    sourceHost: HTMLElement;
    sourceNote: HTMLElement;
    between: HTMLElement;
    betweenLabel: HTMLElement;
    betweenText: HTMLElement;
    sourceCount: HTMLElement;
    scoreNote: HTMLElement;
    free: HTMLElement;
    freeNote: HTMLElement;
    freeButton: HTMLButtonElement;
    fieldNote: HTMLElement;
    limitStatus: HTMLElement;
    notices: HTMLElement;
    pinInput: HTMLInputElement;
    reopenButton: HTMLButtonElement;
    undoButton: HTMLButtonElement;
    redoButton: HTMLButtonElement;
    changing: HTMLElement[]; // what does nothing in a segment that can only be read
  };
  /** Rows of the list; `document` is null for those of the open document. */
  type ListBlock = {
    document: JoinedDocument | null;
    indices: number[];
    isFilled: boolean;
    element: HTMLOListElement & {block?: ListBlock};
  };
  /** A document of the joined list. `rows` by index: null until they are there, `isOld` if they have changed since. */
  type JoinedDocument = {
    session: number;
    name: string;
    numConfirmed: number;
    numSegments: number; // without locked ones
    numRows: number;
    lastMs: number;
    rows: Row[] | null;
    isOld?: boolean;
    isBeyond?: boolean; // too many to be loaded by themselves
    order: number[];
    numbers: Map<number, number>;
    visible: number[]; // those that the filter and the search show
    counts: Counts | null; // by filter, once they were counted
    stamp: number | null;
  };

  /* ---- DOM: everything on the page is HTML, apart from the charts ---- */
  interface ParentNode {
    querySelector(selectors: string): HTMLElement | null;
    querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
  }
  interface HTMLElement {
    addEventListener<K extends keyof HTMLElementEventMap>(
      type: K,
      listener: (event: WithTarget<HTMLElementEventMap[K]>) => unknown,
      options?: boolean | AddEventListenerOptions,
    ): void;
  }
  type Child = Node | string | number | null | undefined | false | Child[];
  type WithTarget<E> = E & {target: HTMLInputElement; currentTarget: HTMLElement; relatedTarget?: HTMLElement | null};
  type Listeners = {
    [K in keyof HTMLElementEventMap as `on${K}`]?: (event: WithTarget<HTMLElementEventMap[K]>) => unknown;
  };
  interface Attributes extends Listeners {
    [name: string]: string | number | boolean | null | undefined | ((event: any) => unknown);
  }
  type TagOf<S extends string> = S extends `${infer T}.${string}` ? (T extends '' ? 'span' : T) : S;
  type ElementOf<S extends string> =
    TagOf<S> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[TagOf<S>] : HTMLElement;
}
