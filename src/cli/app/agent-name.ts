/** The agent that a flag names, else `$MEMPALACE_AGENT_NAME`. */
export function agentNameOf(flag: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  return flag ?? (env.MEMPALACE_AGENT_NAME?.trim() || undefined);
}
