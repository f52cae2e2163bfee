import { startEmbedded } from '../src/platform/db/embedded.ts'
import { createLog } from '../src/platform/log.ts'

// A process that runs a database until it is killed; for tests of a crash. Arguments: data folder, connections it accepts.
const [, , dataDir = '', connectionsMax = '80'] = process.argv
const server = await startEmbedded({
  dataDir,
  connectionsMax: Number(connectionsMax),
  log: createLog('fatal'),
})
console.log(JSON.stringify({ pid: server.pid() }))
process.once('SIGTERM', () => void server[Symbol.asyncDispose]().then(() => process.exit(0)))
setInterval(() => undefined, 60_000)
