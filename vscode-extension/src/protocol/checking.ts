/** Whether sources still say what is cited: `lens/recheck`. */

/** Of `lens/recheck`: one text, or everything. */
export interface RecheckParams {
  readonly uri?: string;
}

/** What became of a citation. */
export type CitationState = 'verified' | 'moved' | 'withdrawn' | 'unverifiable';

/** The result of `lens/recheck`, schema `lens.check/1`. `lens_lsp.schema.memory_shapes.check_json`. */
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
  readonly understood: readonly {
    readonly where: string;
    readonly file: string;
    readonly line: number;
    readonly as: string;
  }[];
  readonly counts: Readonly<Partial<Record<CitationState | 'unreadable', number>>>;
}
