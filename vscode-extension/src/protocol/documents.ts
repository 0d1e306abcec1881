/** What a document says: `lens/text`. */

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
