/**
 * Places as LSP counts them.
 *
 * This folder is what the wire carries between the extension and `lens serve`: types, and nothing else. The server's side
 * of each is named beside it; a contract test compares the two.
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
