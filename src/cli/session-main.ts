import { runProgram } from './program.js';
import { program } from './programs/session.js';

await runProgram(program, process.argv.slice(2));
