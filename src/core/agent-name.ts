export const LONGEST_AGENT = 128;

/** Makes a name storable, for example the name that a client gives itself. */
export function tidyAgent(name: string): string {
  return name
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_AGENT)
    .trim();
}

/** $MEMPALACE_AGENT_NAME. */
export const agentIn = (env: NodeJS.ProcessEnv): string | undefined =>
  env.MEMPALACE_AGENT_NAME?.trim() || undefined;
