/** Diaries of agents: notes about sessions in their own words. Each entry is a source. */
export { AAAK_SPEC } from './aaak.js';
export { agentOf } from './agent.js';
export { readDiary } from './read.js';
export { type DiaryNote, settleNote, writeDiary } from './write.js';
