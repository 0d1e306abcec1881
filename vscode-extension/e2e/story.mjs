/** A story: steps that are told, timed and pictured one by one. */
import fs from 'node:fs';
import path from 'node:path';

import { scratch, shots } from './rig.mjs';
import { Server } from './server.mjs';
import { launch, Workbench } from './workbench.mjs';

function slug(text) {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

export class Story {
  #closing = [];
  #count = 0;
  #workbench;

  constructor(name) {
    this.name = name;
    this.dir = path.join(scratch, name);
    this.shots = path.join(shots, name);
    this.steps = [];
    this.measured = {};
    fs.rmSync(this.dir, { recursive: true, force: true });
    fs.rmSync(this.shots, { recursive: true, force: true });
    fs.mkdirSync(this.dir, { recursive: true });
    fs.mkdirSync(this.shots, { recursive: true });
  }

  /** What is done when the story ends, the last first, however it ends. */
  finally(close) {
    this.#closing.push(close);
  }

  /** A server in the story's folder; takes what `Server.start` takes. */
  async server(options) {
    const server = await Server.start({ dir: path.join(this.dir, options.name ?? 'server'), ...options });
    this.finally(() => server.stop());
    return server;
  }

  /** A window, which the pictures of the following steps show; takes what `Workbench.open` takes. */
  async window(server, what) {
    const browser = await launch();
    this.finally(() => browser.close());
    this.#workbench = await Workbench.open(browser, server, what);
    return this.#workbench;
  }

  /** One step and the picture of what it led to. */
  async step(title, work) {
    const began = Date.now();
    this.#count += 1;
    const file = path.join(this.shots, `${String(this.#count).padStart(2, '0')}-${slug(title)}.png`);
    try {
      await work();
      await this.#workbench?.page.screenshot({ path: file });
    } catch (error) {
      await this.#workbench?.page.screenshot({ path: file.replace(/\.png$/, '-FAILED.png') });
      throw new Error(`${this.name}: ${title}: ${error.message}`, { cause: error });
    }
    const seconds = (Date.now() - began) / 1000;
    this.steps.push({ title, seconds });
    console.log(`  ${seconds.toFixed(1).padStart(5)} s  ${title}`);
  }

  /** Tells a figure, and keeps it with the story's result. */
  measure(what, value) {
    this.measured[what] = value;
    console.log(`           ${what}: ${value}`);
  }

  async end() {
    for (const close of this.#closing.splice(0).reverse()) await close();
  }
}

/** Tells one story; gives its steps and seconds, and the error it ended with. */
export async function tell(name, work) {
  const began = Date.now();
  console.log(name);
  const story = new Story(name);
  let failed;
  try {
    await work(story);
  } catch (error) {
    failed = error.message;
    console.error(error);
  } finally {
    await story.end();
  }
  return {
    story: name,
    passed: failed === undefined,
    seconds: (Date.now() - began) / 1000,
    steps: story.steps,
    measured: story.measured,
    failed,
  };
}
