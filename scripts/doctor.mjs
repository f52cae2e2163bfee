// `npm run doctor -- uses`: checks the database for contradictions; see packages/server/src/doctor.ts.
import { join } from 'node:path'
import { checkNode, installPackages, node, root, run } from './lib.mjs'

checkNode()
await installPackages()
process.exitCode = await run(node, [
  join(root, 'packages', 'server', 'src', 'doctor.ts'),
  ...process.argv.slice(2),
])
