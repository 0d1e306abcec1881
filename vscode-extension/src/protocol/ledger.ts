/** What questions cost and what was sent for them: `lens/ledger`. */
import type { Mode } from './asking';

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
