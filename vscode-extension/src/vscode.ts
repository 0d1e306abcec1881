/**
 * One view of the editor's API for all modules of a bundle: the build puts this in the place of each `import` of `vscode`.
 * Imported from outside, its hundreds of names are copied once for every module, which was half of what loading took.
 */

export * from 'vscode';
