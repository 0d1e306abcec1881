/** How ready Lens is: decided by the same words here and in the editor. */
export { type Grounds, type Readiness, readinessOf } from '../../../../vscode-extension/src/standing/readiness';
