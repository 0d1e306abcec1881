/** Models of programs on this machine: looked for when that is asked, tried by a word of ours, and chosen. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

import * as api from '../api';
import { tellFailure } from '../state/page';
import { words } from '../words';
import { StateShape } from './icons';

interface Props {
  /** Has a model kept as the user's own. */
  readonly use: (address: string, model: string) => void;
  readonly now: { readonly address: unknown; readonly model: unknown };
}

export function LocalModels({ use, now }: Props): JSX.Element {
  const programs = useSignal<readonly api.ModelProgram[] | null>(null);
  const looking = useSignal(false);
  const look = () => {
    looking.value = true;
    api
      .modelPrograms()
      .then((found) => {
        programs.value = found;
      }, tellFailure)
      .finally(() => {
        looking.value = false;
      });
  };
  return (
    <section class="fields local-models" aria-labelledby="local-models">
      <h2 id="local-models">{words.models.title}</h2>
      <p class="hint">{words.models.intro}</p>
      <button type="button" disabled={looking.value} onClick={look}>
        {looking.value ? words.models.looking : words.models.look}
      </button>
      <div role="status">
        {programs.value?.length === 0 && <p class="hint">{words.models.none}</p>}
        {programs.value?.map((program) => (
          <Program key={program.port} program={program} use={use} now={now} />
        ))}
      </div>
    </section>
  );
}

function Program({ program, use, now }: Props & { readonly program: api.ModelProgram }): JSX.Element {
  return (
    <section class="program" aria-label={program.name}>
      <h3 class="program-name">
        {words.models.at(program.name)} <span class="path program-address">{program.address}</span>
      </h3>
      {program.models.length === 0 && <p class="hint">{words.models.noModels}</p>}
      <ul class="program-models">
        {program.models.map((model) => (
          <Model
            key={model}
            port={program.port}
            model={model}
            used={now.address === program.address && now.model === model}
            use={() => use(program.address, model)}
          />
        ))}
      </ul>
    </section>
  );
}

interface ModelProps {
  readonly port: number;
  readonly model: string;
  readonly used: boolean;
  readonly use: () => void;
}

function Model({ port, model, used, use }: ModelProps): JSX.Element {
  const said = useSignal<string | null>(null);
  const trying = useSignal(false);
  const attempt = () => {
    trying.value = true;
    said.value = words.models.trying;
    api
      .tryModel(port, model)
      .then(
        (trial) => {
          said.value = words.models.replied(trial.said, trial.seconds);
        },
        (error: Error) => {
          said.value = error.message;
        },
      )
      .finally(() => {
        trying.value = false;
      });
  };
  return (
    <li class="program-model" aria-current={used ? 'true' : undefined}>
      <span class="model-name">
        {model}
        {used && (
          <span class="model-used">
            <StateShape state="covered" /> {words.models.used}
          </span>
        )}
      </span>
      <button type="button" disabled={trying.value} aria-label={`${words.models.test} ${model}`} onClick={attempt}>
        {words.models.test}
      </button>
      {!used && (
        <button type="button" class="primary" aria-label={`${words.models.use} ${model}`} onClick={use}>
          {words.models.use}
        </button>
      )}
      {said.value !== null && <span class="model-said">{said.value}</span>}
    </li>
  );
}
