/* Types of the page: what the server sends, most of it from the generated protocol.d.ts, and the page's own parts. */
import type * as protocol from './protocol.js';
import type {Bench as BenchClass} from '../main.js';
import type {Segment as SegmentClass} from '../editor/segment.js';
import type {Proposal as ProposalClass} from '../editor/proposal.js';
import type {ConstraintSet as ConstraintSetClass} from '../editor/constraint_set.js';
import type {CurrentSegment as CurrentSegmentClass} from '../editor/current_segment.js';
import type {Ledger as LedgerClass} from '../editor/ledger.js';
import type {Offers as OffersClass} from '../editor/offers.js';
import type {TargetText as TargetTextClass} from '../editor/target_text.js';

declare global {
  type Bench = BenchClass;
  type Segment = SegmentClass;
  type Proposal = ProposalClass;
  type ConstraintSet = ConstraintSetClass;
  type CurrentSegment = CurrentSegmentClass;
  type Ledger = LedgerClass;
  type Offers = OffersClass;
  type TargetText = TargetTextClass;

  /* ---- what the server sends ---- */
  type SegmentState = 'new' | 'pretranslated' | 'edited' | 'confirmed';
  type BanCase = 'exact' | 'permissive';
  type Ban = protocol.BanChoice;
  type Constraints = {pins: string[]; termsOff: string[]; bans: Ban[]; beginning: string; locked: string[]};
  type Unit = 'words' | 'characters';
  type Languages = {source: string; target: string};

  type Row = protocol.SegmentRow;
  /** A part of the source or of a proposal: a word (`w` is its number) or what lies between words. */
  type Run = {
    t: string;
    w?: number;
    pin?: string;
    at?: number | string;
    terms?: string[];
    term?: string;
    tag?: boolean;
    kept?: boolean;
    ban?: string;
  };
  type ProposalView = {
    text: string;
    score: number;
    tokens: Run[];
    confidence: number[];
    alignment: [number, number][];
    is_stale: boolean;
    /** Of each word of the page, the server's word at its beginning. */
    asked?: {number: number; text: string}[];
  };
  type Term = protocol.TermView;
  type ConflictKind =
    | 'pin_term'
    | 'pin_forbidden'
    | 'ban_term'
    | 'ban_kept'
    | 'forbidden_term'
    | 'term_forbidden'
    | 'rival';
  type Conflict = {kind: ConflictKind; kept: string; given_up: string; source: string; term: string; by: string | null};
  type Finding = protocol.FindingView;
  type TextRun = [kind: string, text: string];
  type Hypothesis = {rank: number; text: string; score: number; gap: number; unmet: string[]; runs: TextRun[]};
  type FreeHypothesis = {text: string; score: number; gap: number; runs: TextRun[]};
  type ConstraintPrice = protocol.PricedConstraint;
  type BanPrice = protocol.PricedBan;
  type Prices = {
    total: number | null;
    singly: number;
    together: number;
    constraints: ConstraintPrice[];
    bans: BanPrice[];
  };
  type KeptText = protocol.KeptView;
  /** The open segment. */
  type Detail = {
    index: number;
    stamp: number;
    state: SegmentState;
    source: Run[];
    target: string | null;
    machine_text: string | null;
    origin: string | null;
    note: string;
    comment: string;
    num_words: number;
    is_pending: boolean;
    is_from_memory: boolean;
    notices: string[];
    proposal: ProposalView | null;
    nbest: Hypothesis[];
    free: FreeHypothesis | null;
    terms: Term[];
    conflicts: Conflict[];
    findings: Finding[] | null;
    placeholders: string[];
    prices: Prices | null;
    pins: string[];
    terms_off: string[];
    bans: Ban[];
    beginning: string;
    locked: string[];
    kept: KeptText[];
    pin_states: {text: string; status: string; reason: string; source: string}[];
    ban_states: {text: string; case: BanCase; status: string; reason: string}[];
  };
  type Style = protocol.StyleView;
  type ModelStatus = {
    state: 'loading' | 'ready' | 'failed';
    name: string;
    next: string;
    fetched: number | null;
    num_directions: number;
    message: string;
    style: Style;
  };
  type ModelOffer = {
    key: string;
    name: string;
    place: 'bundled' | 'cached' | 'folder';
    is_current: boolean;
    is_fit: boolean;
    problem: string;
    directions: string[];
    num_directions: number;
    num_parameters: number;
    num_bytes: number;
    formalities: string[];
    domains: string[];
    card: string;
  };
  type Progress = protocol.ProgressView;
  type Work = protocol.WorkView;
  type SessionOffer = protocol.SessionOffer;
  type Counts = Record<string, number>;
  type GlossaryStatus = {name: string; num_terms: number; [more: string]: any};
  /** What the server answers to a command or to the watch. `result` is the command's own. */
  type Reply = {
    ok: boolean;
    error: {kind?: string; message: string};
    token: string;
    version: number;
    rows: Row[];
    order?: number[];
    counts: Counts;
    document: {
      name: string;
      notes: string[];
      unit: Unit;
      source_language: string;
      target_language: string;
      [more: string]: any;
    };
    model: ModelStatus;
    progress: Progress;
    decode: {last_ms: number | null};
    glossary: GlossaryStatus | null;
    offers?: SessionOffer[];
    work: Work;
    words: {confirmed: number; all: number};
    problem: string;
    keeps_keys: boolean;
    checks_off?: string[];
    segment?: Detail;
    result?: any;
  };
  /** What a function of its own answers: `result`, or an error. */
  type Answer = {ok: boolean; error?: {message: string}; is_overtaken?: boolean; [more: string]: any};
  type Server = Record<string, (message: object) => Promise<any>>;
  type SessionPlace = {token: string; version: number; open: number; detailStamp: number};
  type AlternativeRow = {beginning: string; word: string; tail: string; text: string; gap: number; is_term: boolean};
  /** [offset, how many code points went, what came, by which way] */
  type TextChange = [number, number, string, string];
  type EditRecord = {before: string; changes: TextChange[]};
  type MemoryMatch = {rate: number; origin: string; runs: TextRun[]; target: string};
  type KeyCounts = {
    counts: Counts;
    presses: [number, string][];
    carets: [number, number, number][];
  };
  type ReportSegment = {
    index: number;
    number: number;
    state: SegmentState;
    words: number;
    net_ms: number;
    hter: number | null;
    chrf: number | null;
    edits: number;
    pins: number;
    terms: [number, number];
  };
  type ReportView = {
    name: string;
    unit: Unit;
    segments: ReportSegment[];
    origins: [string, number][];
    prices: [price: number, kind: string, text: string, index: number, number: number][];
    keys: Counts;
    idle_limit_ms: number;
    net_ms: number;
    gross_ms: number;
    median_ms: number | null;
    words_per_hour: number | null;
    hter: number | null;
    chrf: number | null;
    num_unchanged: number;
    num_events: number;
    num_segments: number;
    num_confirmed: number;
    num_words: number;
    num_words_confirmed: number;
    num_pins: number;
    num_bans: number;
    num_terms: number;
    num_terms_met: number;
  };
  /** [number, milliseconds, type, segment, text after it, detail] */
  type Moment = [number, number, string, number | null, string | null, string];
  type ReplayView = {segments: {number: number; source: string; text: string}[]; moments: Moment[]};
  type GlossaryImpact = {
    num_segments_hit: number;
    num_segments: number;
    num_found: number;
    num_terms: number;
    num_unused: number;
    num_suppressed: number;
    num_without: number;
  };
  /** A term in the report on what the glossaries do in the document. */
  type TermUse = {
    source: string;
    target: string;
    status: string;
    glossary: string;
    num_hits: number;
    segments: number[];
    unused_in: number[];
  };
  type ImportRow = {
    verdict: string;
    row: number;
    text: string;
    message: string;
    was: string;
    fix?: {name: string; to: string | null};
    blank?: {name: string; source: string};
  };
  type GlossaryBase = {
    id: number;
    name: string;
    is_on: boolean;
    num_terms: number;
    [more: string]: any;
  };
  type GridTerm = {
    source: string;
    target: string;
    variants: string[];
    status: string;
    case: string;
    matching: string;
    note: string;
    [more: string]: any;
  };
  type GridTools = {
    ask: (question: string, args?: CommandArgs) => Promise<any>;
    say: (text: string) => void;
    change: (command: string, args: CommandArgs, said: string) => Promise<any>;
  };
  type CommandArgs = {[name: string]: any};
  type Command = {
    name: string;
    args: CommandArgs;
    slot: string | null;
    sequence: number;
    done: Promise<Reply>;
    resolve: (reply: Reply | Promise<Reply>) => void;
  };

  /* ---- parts of the page ---- */
  type Snapshot = Constraints & {
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
  type Act = () => unknown;
  type WordSide = {side: number; word: number};
  type Box = {start: number; end: number; top: number};

  /** The elements of the open segment. */
  type SegmentLayout = {
    element: HTMLElement;
    no: HTMLElement;
    stateIcon: HTMLElement;
    sourceHost: HTMLElement;
    sourceNote: HTMLElement;
    sourceCount: HTMLElement;
    proposalNote: HTMLElement;
    useProposal: HTMLButtonElement;
    confidenceButton: HTMLButtonElement;
    fieldNote: HTMLElement;
    said: HTMLElement;
    pinInput: HTMLInputElement;
    banButton: HTMLButtonElement;
    reopenButton: HTMLButtonElement;
    undoButton: HTMLButtonElement;
    redoButton: HTMLButtonElement;
  };
  type ListBlock = {indices: number[]; isFilled: boolean; element: HTMLOListElement & {block?: ListBlock}};

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
