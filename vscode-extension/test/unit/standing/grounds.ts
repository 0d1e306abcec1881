/** A window that is ready, with a model that may be asked. */
import type { Grounds } from '../../../src/standing/readiness';

export const JUDGE = { endpoint: 'https://models.example', model: 'm', consent: 'given', mode: 'fast', problem: null };
export const READY: Grounds = {
  connected: true,
  locked: false,
  server: 'running',
  asked: false,
  judge: JUDGE,
  modelFailed: false,
};
