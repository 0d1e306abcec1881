/** What is asked, and of what: `lens/ask` and `lens/find`. */
import type { WireRange } from './places';

/** Who judges and words: `evidence` needs no model, `fast` and `deep` do, `auto` is `fast` with one. */
export type Mode = 'auto' | 'evidence' | 'fast' | 'deep';

/** Where to look: in all workspace folders unless something narrower is named. `lens_lsp.schema.protocol_params.Scope`. */
export interface Scope {
  /** URIs. */
  readonly folders?: readonly string[];
  readonly globs?: readonly string[];
  /** One document: the only one that is searched, or with `range` the one that holds the question. */
  readonly uri?: string;
  /** In `uri`: the text that holds the question itself and is never evidence. */
  readonly range?: WireRange;
}

/** Limits of one question; each can only lower what the settings allow. `lens_lsp.schema.protocol_params.WireBudget`. */
export interface Budget {
  readonly calls?: number;
  readonly tokens?: number;
  readonly seconds?: number;
  readonly cost?: number;
}

/** Of `lens/ask`. `lens_lsp.schema.protocol_params.AskParams`, whose `workDoneToken` the client adds. */
export interface AskParams {
  readonly question: string;
  readonly scope?: Scope;
  readonly mode?: Mode;
  /** The conversation that the question belongs to. */
  readonly thread?: string;
  /** Judge it anew: what earlier questions proved is not taken up. */
  readonly anew?: boolean;
  readonly budget?: Budget;
  /** Tell what would be sent, and send nothing. */
  readonly dryRun?: boolean;
  /** The answer is for a model: without private documents and secrets. */
  readonly forModel?: boolean;
}

/** Of `lens/find`. `lens_lsp.schema.protocol_params.FindParams`. */
export interface FindParams {
  readonly query: string;
  readonly scope?: Scope;
  /** From 1 to 100. */
  readonly limit?: number;
  /** The reader orders the best of the passages, which takes longer: for a second request behind one without it. */
  readonly rerank?: boolean;
  /** The passages are for a model: without private documents, secrets taken out of quotes and headings. */
  readonly forModel?: boolean;
}
