import { runProgram } from './program.js';
import { program } from './programs/mcp.js';

await runProgram(program, process.argv.slice(2));
