/**
 * What the wire carries between this extension and `lens serve`: types, and nothing else.
 *
 * The server's side of each is named beside it; a contract test compares the two.
 */

/** LSP's position: line and character from 0, characters in UTF-16 units. */
export interface WirePosition {
  readonly line: number;
  readonly character: number;
}

/** LSP's range. */
export interface WireRange {
  readonly start: WirePosition;
  readonly end: WirePosition;
}

/** Who judges and words: `evidence` needs no model, `fast` and `deep` do, `auto` is `fast` with one. */
export type Mode = 'auto' | 'evidence' | 'fast' | 'deep';

/** Where to look: in all workspace folders unless something narrower is named. `lens_lsp.lsp.wire.Scope`. */
export interface Scope {
  /** URIs. */
  readonly folders?: readonly string[];
  readonly globs?: readonly string[];
  /** One document: the only one that is searched, or with `range` the one that holds the question. */
  readonly uri?: string;
  /** In `uri`: the text that holds the question itself and is never evidence. */
  readonly range?: WireRange;
}

/** Limits of one question; each can only lower what the settings allow. `lens_lsp.lsp.wire.WireBudget`. */
export interface Budget {
  readonly calls?: number;
  readonly tokens?: number;
  readonly seconds?: number;
  readonly cost?: number;
}

/** Of `lens/ask`. `lens_lsp.lsp.wire.AskParams`, whose `workDoneToken` the client adds. */
export interface AskParams {
  readonly question: string;
  readonly scope?: Scope;
  readonly mode?: Mode;
  /** The conversation that the question belongs to. */
  readonly thread?: string;
  readonly budget?: Budget;
  /** Tell what would be sent, and send nothing. */
  readonly dryRun?: boolean;
  /** The answer is for a model: without private documents and secrets. */
  readonly forModel?: boolean;
}

/** Of `lens/find`. `lens_lsp.lsp.requests.FindParams`. */
export interface FindParams {
  readonly query: string;
  readonly scope?: Scope;
  /** From 1 to 100. */
  readonly limit?: number;
  /** The passages are for a model: without private documents, secrets taken out of quotes and headings. */
  readonly forModel?: boolean;
}

/** Of `lens/text`: the URI of a file. */
export interface TextParams {
  readonly uri: string;
  /** Only of one that is searched or that holds an answer, found through no link. */
  readonly confined?: boolean;
}

/** The result of `lens/text`: what a document says, as spans and ranges of evidence count it. */
export interface TextResult {
  readonly text: string;
  /** Name and version of what took it out of the file. */
  readonly reader: string;
  readonly sha256: string;
  /** Where a person would open what stands from each of these offsets on, in code points. */
  readonly locators: readonly { readonly start: number; readonly locator: Readonly<Record<string, unknown>> }[];
}

/** Of `lens/passage`: some lines of a document, the last one included, or those of a span. */
export interface PassageParams {
  readonly uri: string;
  readonly lines?: readonly [number, number];
  readonly span?: readonly [number, number];
  readonly forModel?: boolean;
}

/** The result of `lens/passage`. `lens_lsp.lsp.results.PassageResult`. */
export interface PassageResult {
  readonly schema: string;
  readonly uri: string;
  readonly folder: string;
  readonly path: string;
  readonly text: string;
  readonly span: readonly [number, number];
  readonly lines: readonly [number, number];
  readonly totalLines: number;
  readonly sha256: string;
  readonly reader: string;
  readonly locator: Readonly<Record<string, unknown>> | null;
  readonly extracted: boolean;
  readonly cleaned: boolean;
}

/** A citation as somebody holds it. `lens_lsp.lsp.requests.HeldCitation`. */
export interface HeldCitation {
  readonly uri: string;
  readonly quote: string;
  readonly sha256?: string | null;
  readonly span?: readonly [number, number] | null;
  readonly lines?: readonly [number, number] | null;
  readonly reader?: string | null;
  readonly beside?: Beside | null;
}

/** Of `lens/check`. */
export interface CheckParams {
  readonly citations: readonly HeldCitation[];
  readonly forModel?: boolean;
}

/** The result of `lens/check`, in the order of the citations. `lens_lsp.lsp.results.CheckResult`. */
export interface CheckResult {
  readonly schema: string;
  readonly citations: readonly {
    readonly state: 'verified' | 'moved' | 'drifted' | 'broken';
    readonly why: string;
    readonly uri?: string | null;
    readonly folder?: string | null;
    readonly path?: string | null;
    readonly span?: readonly [number, number] | null;
    readonly lines?: readonly [number, number] | null;
    readonly sha256?: string | null;
    readonly locator?: Readonly<Record<string, unknown>> | null;
  }[];
}

/** A fact that the question needs, and what became of it. */
export interface RequirementResult {
  readonly id: string;
  readonly text: string;
  readonly status: 'covered' | 'missing' | 'contested';
  readonly confidence: number | null;
  readonly many: boolean;
  readonly matching: number;
  readonly read: number;
  readonly value: string | null;
  /** Numbers of evidence. */
  readonly evidence: readonly number[];
}

/** What all evidence says of itself, wherever it is told. `lens_lsp.wire.evidence.evidence_json`. */
interface EvidenceBase {
  readonly n: number;
  /** Relative to its root. */
  readonly path: string;
  /** Index into the roots. */
  readonly root: number;
  /** Code points in the decoded or extracted text. */
  readonly span: readonly [number, number];
  readonly quote: string;
  readonly sha256: string;
  readonly source: 'disk' | 'buffer';
  readonly version: number | null;
  readonly encoding: string;
  readonly encodingGuessed: boolean;
  readonly reader: string | null;
  readonly match: 'exact' | 'normalised';
  readonly locator: Readonly<Record<string, unknown>> | null;
  readonly heading: readonly string[];
  readonly requirements: readonly string[];
  readonly found: {
    /** None outside of a question. */
    readonly arm: string | null;
    readonly round: number;
    readonly signals: Readonly<Record<string, number>>;
  };
  readonly score: number | null;
}

/** Evidence of a result, with its place as the editor counts; none if the file changed meanwhile. */
export interface Evidence extends EvidenceBase {
  readonly uri: string | null;
  readonly range: WireRange | null;
  /** Only for a model. */
  readonly beside?: Beside | null;
  /** For a model: the quote is without what is secret or hidden in it. */
  readonly cleaned?: boolean;
}

/** What tells a quote from others like it. `lens_lsp.lsp.requests.Beside`. */
export interface Beside {
  readonly before?: string | null;
  readonly after?: string | null;
  readonly count?: number | null;
}

/** Evidence inside an event: line and column from 1, columns in code points. */
export interface EventEvidence extends EvidenceBase {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

/** A document as the prior ranks it. */
export interface RankedDocument {
  readonly path: string;
  readonly root: number;
  readonly prior: number;
  readonly admitted: boolean;
  readonly read: boolean;
  readonly signals: Readonly<Record<string, number>>;
}

/** What was looked at, and what was not and why. */
export interface Coverage {
  readonly found: number;
  readonly scanned: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly admitted: number;
  readonly read: number;
  readonly matchesUnread: number;
}

/** What a question cost, and what was sent for it. */
export interface Ledger {
  /** By stage, and `total`. */
  readonly calls: Readonly<Record<string, number>>;
  readonly retries: number;
  readonly tokens: { readonly in: number; readonly out: number };
  readonly seconds: number;
  readonly cost: number | null;
  /** The origin that was asked. */
  readonly endpoint: string | null;
  readonly sent: readonly Sent[];
}

/** A span of a document that was sent, or would be. */
export interface Sent {
  readonly path: string;
  readonly root: number;
  readonly span: readonly [number, number];
}

/** `Sent` where it can be opened. */
export interface SentPlace extends Sent {
  readonly uri: string;
}

/** Why a search ended. */
export type StopReason =
  | 'covered'
  | 'rounds'
  | 'nowhere'
  | 'direct'
  | 'reused'
  | 'budget-calls'
  | 'budget-tokens'
  | 'budget-seconds'
  | 'budget-cost'
  | 'model-failed'
  | 'cancelled';

/** An answer, schema `lens.answer/1`, as `lens_lsp.wire.answer.answer_json` makes it, whatever its evidence looks like. */
interface AnswerBase<E> {
  readonly schema: string;
  readonly question: string;
  readonly mode: Mode;
  readonly intent: string;
  readonly seed: number;
  /** Absolute paths. */
  readonly roots: readonly string[];
  readonly status: 'answered' | 'partial' | 'unanswered';
  readonly stopped: StopReason;
  /** Markdown with `[n]` marks. */
  readonly answer: string;
  readonly shortAnswer: string | null;
  readonly requirements: readonly RequirementResult[];
  readonly evidence: readonly E[];
  readonly computation: {
    readonly expression: string;
    readonly operands: readonly number[];
    readonly value: number | string | null;
    readonly unit: string | null;
  } | null;
  readonly documents: readonly RankedDocument[];
  readonly coverage: Coverage;
  readonly ledger: Ledger;
  readonly reused: readonly {
    readonly cluster: string;
    readonly askedAt: string;
    readonly requirements: readonly string[];
  }[];
  readonly newer: readonly string[];
  readonly typed: string | null;
  readonly compression: number | null;
  readonly rejectedQuotes: number;
  readonly unsupported: readonly string[];
  readonly warnings: readonly string[];
}

/** The answer inside its last event: places as `EventEvidence` has them. */
export type EventAnswer = AnswerBase<EventEvidence>;

/** The result of `lens/ask`. */
export interface AnswerResult extends AnswerBase<Evidence> {
  /** The file of the answer; none where nothing may be kept. */
  readonly answerUri: string | null;
}

/** The result of `lens/ask` with `dryRun`, schema `lens.dry-run/1`. No endpoint: nothing would be sent. */
export interface DryRunResult {
  readonly schema: string;
  readonly mode: Mode;
  readonly endpoint: string | null;
  readonly requests: readonly {
    readonly stage: string;
    readonly tokens: number;
    readonly replyTokens: number;
    readonly messages: readonly { readonly role: string; readonly text: string }[];
  }[];
  readonly sent: readonly SentPlace[];
}

/** The result of `lens/find`, schema `lens.evidence/1`. */
export interface FindResult {
  readonly schema: string;
  readonly query: string;
  readonly roots: readonly string[];
  readonly evidence: readonly Evidence[];
  readonly documents: readonly RankedDocument[];
  readonly coverage: Coverage;
  readonly ledger: Ledger;
  readonly compression: number | null;
  readonly warnings: readonly string[];
  readonly answerUri: string | null;
}

/** A requirement as it was planned. */
export interface PlannedRequirement {
  readonly id: string;
  readonly text: string;
  readonly many: boolean;
  readonly answerType: string;
  readonly names: readonly string[];
  readonly rule: unknown;
}

/** What every event says of itself: `lens/event`, schema `lens.event/1`. */
interface EventBase<T extends string> {
  readonly schema: string;
  /** Counts the events of a question from 1. */
  readonly seq: number;
  readonly type: T;
  /** The `workDoneToken` of the question. */
  readonly token?: string | number | null;
}

/** How the server understood the question. */
export interface PlannedEvent extends EventBase<'planned'> {
  readonly mode: Mode;
  readonly seed: number;
  readonly plan: {
    readonly question: string;
    readonly intent: string;
    readonly answerType: string;
    readonly requirements: readonly PlannedRequirement[];
    readonly anchors: readonly unknown[];
    readonly transformation: unknown;
    readonly document: string | null;
  };
}

/** How many files were scanned. */
export interface ScannedEvent extends EventBase<'scanned'> {
  readonly found: number;
  readonly files: number;
  readonly skipped: number;
  readonly matches: number;
}

/** Documents that joined the search. */
export interface AdmittedEvent extends EventBase<'admitted'> {
  readonly round: number;
  readonly joined: readonly { readonly path: string; readonly root: number }[];
  readonly ranking: readonly RankedDocument[];
  readonly reserve: number;
  readonly compression: number | null;
}

/** What is read next. */
export interface ProposedEvent extends EventBase<'proposed'> {
  readonly round: number;
  readonly regions: readonly {
    readonly number: number;
    readonly document: number;
    readonly path: string;
    readonly span: readonly [number, number];
    readonly arm: string;
    readonly tokens: number;
  }[];
}

/** What was read, as it was judged. */
export interface ObservedEvent extends EventBase<'observed'> {
  readonly round: number;
  readonly judgements: readonly {
    readonly region: number;
    readonly requirement: string;
    readonly verdict: string;
  }[];
  readonly rejected: number;
  readonly terms: readonly string[];
}

/** How sure the search is of each requirement. */
export interface CoveredEvent extends EventBase<'covered'> {
  readonly round: number;
  readonly beliefs: readonly {
    readonly requirement: string;
    readonly nowhere: number;
    readonly glr: number | null;
    readonly threshold: number | null;
    readonly covered: boolean;
    readonly rule: string | null;
  }[];
}

/** A passage. `early` ones come before the plan and may be dropped; the answer cites `final` ones. */
export interface EvidenceFoundEvent extends EventBase<'evidenceFound'> {
  readonly evidence: EventEvidence;
  readonly final: boolean;
  readonly early: boolean;
}

/** More of the answer; `restart` takes back what came before. */
export interface AnswerDeltaEvent extends EventBase<'answerDelta'> {
  readonly text: string;
  readonly restart: boolean;
}

/** The search ended. */
export interface StoppedEvent extends EventBase<'stopped'> {
  readonly reason: StopReason;
}

/** The answer, whole. The request's own result has places as the editor counts. */
export interface AnsweredEvent extends EventBase<'answered'> {
  readonly answer: EventAnswer;
}

/** One step of a question. `lens_lsp.wire.events`. */
export type LensEvent =
  | PlannedEvent
  | ScannedEvent
  | AdmittedEvent
  | ProposedEvent
  | ObservedEvent
  | CoveredEvent
  | EvidenceFoundEvent
  | AnswerDeltaEvent
  | StoppedEvent
  | AnsweredEvent;

/** Of `lens/clusters`: all of them, or those with these ids. */
export interface ClustersParams {
  readonly ids?: readonly string[];
  /** Look the citations up again. */
  readonly fresh?: boolean;
  /** They are for a model. */
  readonly forModel?: boolean;
}

/** What earlier questions left. `lens_lsp.wire.clusters.cluster_json`; times are ISO 8601 in UTC. */
export interface Cluster {
  /** The real path of the workspace folder. */
  readonly workspace: string;
  readonly id: string;
  readonly title: string;
  readonly archived: boolean;
  readonly confidence: number | null;
  readonly hits: number;
  readonly created: string;
  readonly used: string;
  readonly questions: readonly {
    readonly question: string;
    readonly asked: string;
    readonly mode: Mode;
    readonly oracle: string | null;
    readonly status: AnswerResult['status'];
    readonly answer: string;
    readonly shortAnswer: string | null;
    /** Ids by requirement; none where nothing was proven. */
    readonly facts: readonly (string | null)[];
    readonly evidence: readonly string[];
    readonly answerUri: string | null;
  }[];
  readonly facts: readonly {
    readonly id: string;
    readonly text: string;
    readonly status: RequirementResult['status'];
    readonly value: string | null;
    readonly confidence: number | null;
    readonly evidence: readonly string[];
    readonly proven: string;
    readonly retired: boolean;
  }[];
  readonly citations: readonly {
    readonly id: string;
    readonly uri: string;
    readonly root: string;
    readonly path: string;
    readonly sha256: string;
    readonly span: readonly [number, number];
    readonly quote: string;
    readonly heading: readonly string[];
    readonly locator: Readonly<Record<string, unknown>> | null;
  }[];
  readonly links: readonly { readonly cluster: string; readonly weight: number }[];
  /** How many of the citations that facts rest on are in which state; only where it was asked for. */
  readonly freshness: Readonly<Record<CitationState, number>> | null;
}

/** The result of `lens/clusters`, schema `lens.clusters/1`. */
export interface ClustersResult {
  readonly schema: string;
  readonly clusters: readonly Cluster[];
}

/** A conversation. */
export interface Thread {
  /** The real path of the workspace folder. */
  readonly workspace: string;
  readonly name: string;
  /** When it was asked last. */
  readonly asked: string;
  /** Oldest first. */
  readonly questions: readonly {
    /** As the user typed it; `question` is what was understood. */
    readonly typed: string;
    readonly question: string;
    readonly asked: string;
    readonly cluster: string | null;
    readonly answerUri: string | null;
  }[];
}

/** The result of `lens/threads`, schema `lens.threads/1`; the one asked last first. */
export interface ThreadsResult {
  readonly schema: string;
  readonly threads: readonly Thread[];
}

/** Of `lens/forget`: whole ids, or all. */
export interface ForgetParams {
  readonly ids?: readonly string[];
  readonly all?: boolean;
}

/** The result of `lens/forget`, schema `lens.forgotten/1`. */
export interface ForgetResult {
  readonly schema: string;
  readonly clusters: readonly string[];
  readonly files: readonly string[];
}

/** Of `lens/ledger`: how many of the last questions are listed. */
export interface LedgerParams {
  readonly questions?: number;
}

/** The result of `lens/ledger`, schema `lens.ledger/1`. `today` is null where the day's usage cannot be read. */
export interface LedgerResult {
  readonly schema: string;
  readonly today: {
    readonly calls: number;
    readonly tokens: { readonly in: number; readonly out: number };
    readonly cost: number | null;
  } | null;
  readonly questions: readonly {
    readonly question: string;
    readonly mode: Mode;
    readonly answerUri: string | null;
    readonly ledger: Omit<Ledger, 'sent'> & { readonly sent: readonly SentPlace[] };
  }[];
}

/** Of `lens/answer`: the URI of its file, the id of a cluster, or a question; the last answer if left out. */
export interface AnswerParams {
  readonly answer?: string;
  readonly forModel?: boolean;
}

/** The result of `lens/answer`. `lens_lsp.lsp.kept_results.KeptAnswer`. */
export interface KeptAnswer {
  readonly schema: string;
  readonly uri: string;
  readonly text: string;
  readonly citations: readonly (HeldCitation & { readonly label: string; readonly altered: string })[];
}

/** Of `lens/recheck`: one text, or everything. */
export interface RecheckParams {
  readonly uri?: string;
}

/** What became of a citation. */
export type CitationState = 'verified' | 'moved' | 'withdrawn' | 'unverifiable';

/** The result of `lens/recheck`, schema `lens.check/1`. `lens_lsp.wire.check.check_json`. */
export interface RecheckResult {
  readonly schema: string;
  readonly answers: number;
  readonly citations: readonly {
    readonly where: string;
    readonly file: string;
    readonly line: number;
    readonly label: string;
    readonly root: string;
    readonly path: string;
    readonly state: CitationState;
    readonly why: string | null;
    readonly quote: string;
    readonly span: readonly [number, number];
    readonly sha256: string;
    readonly now: {
      readonly path: string;
      readonly span: readonly [number, number];
      readonly start: { readonly line: number; readonly column: number } | null;
      readonly sha256: string | null;
      readonly locator: Readonly<Record<string, unknown>> | null;
    } | null;
  }[];
  readonly unreadable: readonly {
    readonly where: string;
    readonly file: string;
    readonly line: number;
    readonly why: string;
  }[];
  readonly counts: Readonly<Partial<Record<CitationState | 'unreadable', number>>>;
}

/** Of `lens/status`. */
export interface StatusParams {
  /** Say who would judge, too: that reads settings and, for the editor's model, asks us. */
  readonly judge?: boolean;
}

/** Who would judge the next question. */
export interface Judge {
  readonly mode: Mode;
  /** `https://host[:port]` or `editor:<id>`; null: offline. */
  readonly endpoint: string | null;
  readonly model: string | null;
  readonly consent: 'local' | 'given' | 'missing' | null;
  /** Why a configured model cannot be used. */
  readonly problem: string | null;
}

/** The result of `lens/status`. `lens_lsp.lsp.wire.Status`. */
export interface StatusResult {
  readonly version: string;
  readonly positionEncoding: string;
  readonly folders: readonly string[];
  readonly documents: number;
  readonly unsynced: readonly string[];
  readonly tasks: number;
  readonly asks: {
    readonly running: number;
    readonly waiting: number;
    readonly mostRunning: number;
    readonly mostWaiting: number;
  };
  readonly switchedOff: readonly string[];
  readonly watching: string;
  /** Only where it was asked for. */
  readonly judge: Judge | null;
}

/** Of the command `lens.server.insertAnswer`. */
export interface InsertAnswerParams {
  readonly uri: string;
  readonly position: WirePosition;
  /** The URI of its file, the id of a cluster, or a question; the last answer if left out. */
  readonly answer?: string;
}

/** The result of `lens.server.insertAnswer`. */
export interface InsertAnswerResult {
  readonly inserted: boolean;
}

/**
 * Of `lens/model`, which the server asks us: a completion by the editor's own model. No messages ask which model would
 * answer.
 */
export interface ModelParams {
  readonly family: string | null;
  readonly messages: readonly { readonly role: 'system' | 'user' | 'assistant'; readonly text: string }[];
  readonly maxTokens: number;
}

/** The result of `lens/model`. */
export interface ModelResult {
  readonly text: string;
  /** The id of the model. */
  readonly model: string;
  readonly finish: string;
  readonly tokensIn?: number | null;
  readonly tokensOut?: number | null;
  /** How much the model takes in. */
  readonly contextTokens?: number | null;
}
