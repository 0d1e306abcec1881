/** Run by the editor after the extension was uninstalled: what it had set up goes with it. Answers are the user's, and stay. */

import path from 'node:path';
import { removeInstalled } from './server/installed';

void removeInstalled(path.dirname(__dirname));
