// `npm run bench -- <subject> [options]`: runs benchmarks; see docs/performance.md.
import { join } from 'node:path'
import {
  buildConsole,
  checkNode,
  installPackages,
  node,
  root,
  run,
  sayBeside,
  serverOptions,
} from './lib.mjs'

checkNode()
sayBeside()
await installPackages()
await buildConsole()
process.exitCode = await run(
  node,
  [join(root, 'packages', 'bench', 'src', 'main.ts'), ...process.argv.slice(2)],
  { env: serverOptions() },
)
