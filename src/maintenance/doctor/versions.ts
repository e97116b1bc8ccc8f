import { arch, platform, release } from 'node:os';
import type { DoctorContext } from './context.js';
import { type Finding, fail, ok } from './finding.js';

const LEAST_NODE = 20;

/** This program, Node and the platform. */
export function checkVersions({ version }: DoctorContext): Finding[] {
  return [
    ok('mempalace-toolkit', version),
    nodeFinding(process.versions.node, process.versions.modules, process.execPath),
    ok('platform', `${platform()} ${arch()}, ${release()}`),
  ];
}

/** @param abi what native modules are built for */
export function nodeFinding(version: string, abi: string, path: string): Finding {
  const detail = `${version} (ABI ${abi}), ${path}`;
  const major = Number(version.split('.')[0]);
  if (major >= LEAST_NODE) return ok('node', detail);
  return fail(
    'node',
    `${detail}: older than ${LEAST_NODE}`,
    `install Node ${LEAST_NODE} or newer, then run ./install.sh`,
  );
}
