/** What a question tells while it runs: `lens/event`. */
import type { EventAnswer, StopReason } from './answer';
import type { Mode } from './asking';
import type { EventEvidence, RankedDocument } from './evidence';

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

/** More of the answer; `restart` takes back what came before, `checking` words are not checked yet. */
export interface AnswerDeltaEvent extends EventBase<'answerDelta'> {
  readonly text: string;
  readonly restart: boolean;
  readonly checking: boolean;
}

/** The search ended. */
export interface StoppedEvent extends EventBase<'stopped'> {
  readonly reason: StopReason;
}

/** The answer, whole. The request's own result has places as the editor counts. */
export interface AnsweredEvent extends EventBase<'answered'> {
  readonly answer: EventAnswer;
}

/** One step of a question. `lens_lsp.schema.answer_shapes`. */
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
