/** What the viewer of PDFs and the extension tell each other: types, and nothing else. */

/** What is shown of a document: words on a page. */
export interface Place {
  /** From 1; undefined where it is not known: the words are looked for on all pages. */
  readonly page?: number;
  readonly quote?: string;
  /** How many characters of the page, as `squashed` leaves them, come before the quote. */
  readonly near?: number;
}

/** A place that somebody wants to see. */
export interface Target extends Place {
  /** Another number is another wish, though it be for the same place. */
  readonly wish: number;
}

/** Said to the viewer. */
export type ToViewer =
  | { readonly type: 'open'; readonly bytes: Uint8Array; readonly target: Target | undefined }
  | { readonly type: 'show'; readonly target: Target }
  | { readonly type: 'tell'; readonly message: string };

/** A target as it was shown. */
export interface Shown {
  readonly wish: number;
  readonly page: number;
  readonly pages: number;
  /** The words that are highlighted, as the pages have them; undefined where a quote was not found or not asked for. */
  readonly words?: string;
  /** Whether the page says them more than once, and which of these is meant was not told. */
  readonly repeated: boolean;
}

/** Said by the viewer. */
export type FromViewer = { readonly type: 'ready' } | ({ readonly type: 'shown' } & Shown);

/** What the viewer says to people, in the language of the editor; `{0}` and `{1}` stand for numbers. */
export interface ViewerWords {
  readonly toolbar: string;
  readonly pages: string;
  readonly previous: string;
  readonly next: string;
  readonly smaller: string;
  readonly larger: string;
  readonly page: string;
  readonly ofPages: string;
  readonly highlighted: string;
  readonly notFound: string;
  readonly notFoundAnywhere: string;
  readonly broken: string;
  readonly locked: string;
}

/** Where the viewer finds what it is made of: addresses of this machine. */
export interface ViewerPlaces {
  readonly worker: string;
  /** Folders, ending in `/`. */
  readonly characterMaps: string;
  readonly fonts: string;
  readonly decoders: string;
}
