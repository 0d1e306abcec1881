/** Passages that say something, and the documents that they were looked for in. */
import type { WireRange } from './places';

/** What tells a quote from others like it. `lens_lsp.schema.protocol_params.Beside`. */
export interface Beside {
  readonly before?: string | null;
  readonly after?: string | null;
  readonly count?: number | null;
}

/** Text beside a quote that helps to understand it and proves nothing. `lens_lsp.schema.answer_shapes.evidence_json`. */
export interface ContextPart {
  readonly role: 'before' | 'after' | 'header' | 'lead-in' | 'parent';
  /** Code points, as the quote's. */
  readonly span: readonly [number, number];
  readonly text: string;
  /** Where it was shortened. */
  readonly cut: readonly ('start' | 'end')[];
}

/** Context with its place as the editor counts; none if it does not stand beside the quote any more. */
export interface PlacedContext extends ContextPart {
  readonly range: WireRange | null;
}

/** What all evidence says of itself, wherever it is told. `lens_lsp.schema.answer_shapes.evidence_json`. */
interface EvidenceBase {
  readonly n: number;
  /** Relative to its root. */
  readonly path: string;
  /** Index into the roots. */
  readonly root: number;
  /** Code points in the decoded or extracted text, of all of it also where the file is large and was read in pieces. */
  readonly span: readonly [number, number];
  readonly quote: string;
  /** Where the quote is a part of a longer sentence, item, row or line. A server before 2 does not say. */
  readonly cut?: readonly ('start' | 'end')[];
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
  /** What stands around the quote, in order. A server before 2 does not say. */
  readonly context?: readonly PlacedContext[];
  /** Only for a model. */
  readonly beside?: Beside | null;
  /** For a model: the quote or its context is without what is secret or hidden in it. */
  readonly cleaned?: boolean;
}

/** Evidence inside an event: line and column from 1, columns in code points. */
export interface EventEvidence extends EvidenceBase {
  readonly context?: readonly ContextPart[];
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
  readonly skipped: readonly {
    readonly path: string;
    readonly reason: string;
    readonly root: number;
    /** Bytes of what is too large; else 0. */
    readonly size: number;
  }[];
  readonly admitted: number;
  readonly read: number;
  readonly matchesUnread: number;
  /** Pages and other pictures in searched documents of which nothing was read. */
  readonly pictures: number;
  /** What of the searched files and folders was not searched. */
  readonly partial: readonly {
    readonly path: string;
    readonly line: number | null;
    readonly reason: string;
    readonly root: number;
  }[];
  /** Parts that processes or workers of a cluster read; none where one process read all. */
  readonly shards: readonly {
    readonly name: string;
    readonly found: number;
    readonly scanned: number;
    readonly skipped: number;
    readonly lost: string | null;
  }[];
  /** PDF, Office, e-book and mail files that have a text, or may have one. */
  readonly documents: number;
  /** Those of them that were not read yet, or not to their end: of these nothing is known. */
  readonly unread: number;
}
