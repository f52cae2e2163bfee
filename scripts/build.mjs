// `npm run build`: builds everything that a start would build.
import { buildConsole, checkNode, installPackages } from './lib.mjs'

checkNode()
await installPackages()
await buildConsole()
