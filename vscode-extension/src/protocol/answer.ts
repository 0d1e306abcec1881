/** What `lens/ask` and `lens/find` give. */
import type { Mode } from './asking';
import type { Coverage, EventEvidence, Evidence, RankedDocument } from './evidence';
import type { Ledger, SentPlace } from './ledger';

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

/** An answer, schema `lens.answer/2`, as `lens_lsp.schema.answer_shapes.answer_json` makes it, whatever its evidence looks like. */
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
  /** Words of a sentence that the passages it cites do not support. */
  readonly doubts: readonly {
    readonly sentence: string;
    readonly words: string;
    readonly reason: string;
    readonly decisive: boolean;
  }[];
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

/** The result of `lens/find`, schema `lens.evidence/2`. */
export interface FindResult {
  readonly schema: string;
  readonly query: string;
  readonly roots: readonly string[];
  readonly evidence: readonly Evidence[];
  readonly documents: readonly RankedDocument[];
  readonly coverage: Coverage;
  readonly ledger: Ledger;
  readonly compression: number | null;
  /** Words of the question that occur nowhere. A server before 2 does not say. */
  readonly missing?: readonly string[];
  /** Whether the reader ordered the passages, where that was asked for. */
  readonly reranked?: boolean;
  readonly warnings: readonly string[];
  readonly answerUri: string | null;
}
