// Runs a script of the project with Node 24: `node scripts/with-node.mjs <file> [arguments]`.
import { checkNode, installPackages, node, run } from './lib.mjs'

checkNode()
await installPackages()
process.exitCode = await run(node, process.argv.slice(2))
