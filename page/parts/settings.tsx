import { type Answer, post } from '../api.js';
import { useAnswer } from '../ask.js';
import { Shown } from './state.js';
import { making } from './toast.js';

type Config = Answer<'config'>;
type Changed = Answer<'configChanged'>;

/** The settings that programs have which start now, with the origin of each. Some can be changed here. */
export function Settings() {
  const config = useAnswer<'config'>('/config');
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <Shown asked={config}>
        {({ file, settings, origins, on_page }) => (
          <details class="disclosure">
            <summary dir="auto">
              {file.path}
              {file.exists ? '' : ' does not exist: all settings are the usual ones'}
            </summary>
            <table class="settings">
              <tbody>
                {Object.entries(origins).map(([name, origin]) => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td dir="auto">
                      <Value
                        name={name}
                        value={shownValue(name.split('.').reduce(within, settings))}
                        isSet={origin.startsWith(`${file.path}:`)}
                        changeable={on_page.find(({ key }) => key === name)}
                      />
                    </td>
                    <td class="quiet" dir="auto">
                      {origin}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p class="quiet">
              The others are changed by <code>mempalace config set</code>. A broker goes on with the settings
              that it started with; this page does not.
            </p>
          </details>
        )}
      </Shown>
    </section>
  );
}

const within = (value: unknown, name: string): unknown => Object(value)[name];

const shownValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

interface ValueProps {
  name: string;
  value: string;
  /** The file sets it. */
  isSet: boolean;
  changeable: Config['on_page'][number] | undefined;
}

function Value({ name, value, isSet, changeable }: ValueProps) {
  if (changeable === undefined) return value;
  const { choices } = changeable;
  const control = { 'aria-label': name, value };
  return (
    <span class="chips">
      <span class="chip">
        {choices === null ? (
          <input {...control} onChange={({ currentTarget }) => change(name, currentTarget.value.trim())} />
        ) : (
          <select {...control} onChange={({ currentTarget }) => change(name, currentTarget.value)}>
            {choices.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </span>
      {isSet && (
        <button type="button" aria-label={`Usual value of ${name}`} onClick={() => change(name, undefined)}>
          Usual value
        </button>
      )}
    </span>
  );
}

/** Changes a setting in the file; it can be undone. */
function change(key: string, value: string | undefined): void {
  void making(async () => {
    const { former, changed, in_force, origin, file } = await put(key, value);
    const overrides = origin.startsWith(`${file}:`) || value === undefined ? '' : `; ${origin} overrides it`;
    return {
      text: `${key}: ${value ?? `${shownValue(in_force)}, the usual value`}${overrides}`,
      undo: changed ? () => put(key, former === null ? undefined : shownValue(former)) : undefined,
    };
  });
}

const put = (key: string, value: string | undefined): Promise<Changed> =>
  value === undefined
    ? post<'configChanged'>('/config/unset', { key })
    : post<'configChanged'>('/config/set', { key, value });
