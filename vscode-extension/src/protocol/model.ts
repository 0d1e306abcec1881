/** The editor's own model, which the server asks for: `lens/model`. */

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
