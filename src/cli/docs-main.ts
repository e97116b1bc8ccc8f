import { runProgram } from './program.js';
import { program } from './programs/docs.js';

await runProgram(program, process.argv.slice(2));
