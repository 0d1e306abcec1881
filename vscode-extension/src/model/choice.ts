/** Which of the models that can be chosen is the one that is set. */

/** A model as it is set: an address and a name; `editor` or `editor:family`, without an address, is one of the editor's. */
export interface Choice {
  readonly baseUrl: string;
  readonly name: string;
}

/** The place of the one in use; `address` stands for all that the list does not name, the last one for those elsewhere. */
export function usedAmong(choices: readonly (Choice | 'address' | undefined)[], now: Choice): number {
  const named = choices.findIndex(
    (each) => typeof each === 'object' && each.baseUrl === now.baseUrl && each.name === now.name,
  );
  return named >= 0 || now.baseUrl === '' ? named : choices.lastIndexOf('address');
}
