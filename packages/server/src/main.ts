import { setFlagsFromString } from 'node:v8'
import { createApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type FirstSignIn, resetAdmin } from './features/people/index.ts'
import { isDemoRemoved } from './features/setup/index.ts'
import { StartError } from './platform/errors.ts'
import { releaseHeap } from './platform/heap.ts'
import { createLog } from './platform/log.ts'
import { SystemLog } from './platform/systemLog/index.ts'

/** A stop that takes longer is abandoned; accepted data is already in the database. */
const stopTimeoutMs = 10_000
/**
 * Nothing can be finished without the database, so exit quickly and let the supervisor restart the server.
 */
const lostTimeoutMs = 1_000

/**
 * The heap may double before it is collected as a whole. By default V8 allows a tenth while it grows slowly, and
 * large messages of one account then stop the event loop for 50 ms several times a second. Not allowed in NODE_OPTIONS.
 */
setFlagsFromString('--heap-growing-percent=100')
process.title = 'leitstand'
process.umask(0o077)

try {
  const config = readConfig(process.env, process.env.INIT_CWD ?? process.cwd())
  if (process.argv.includes('--reset-admin')) await runReset(config)
  else await runServer(config)
} catch (error) {
  // Expected errors are one sentence the operator can act on, without a stack; anything else is a bug and
  // is shown in full.
  if (error instanceof ConfigError || error instanceof StartError) console.error(`\n${error.message}\n`)
  else console.error(error)
  process.exit(1)
}

async function runServer(config: Config): Promise<void> {
  const systemLog = new SystemLog()
  const log = createLog(config.logLevel, undefined, systemLog)
  const stop = Promise.withResolvers<number>()
  // Not `once`: a supervisor and `npm start` may both forward a signal, and the second must not cut the
  // stop short.
  process.on('SIGTERM', () => stop.resolve(0))
  process.on('SIGINT', () => stop.resolve(0))
  const app = await createApp(config, log, {
    systemLog,
    beforeServing: releaseHeap,
    onLost: (error) => {
      log.fatal({ err: error }, 'the database is lost')
      stop.resolve(1)
    },
  })
  log.info({ url: app.url }, 'Leitstand is ready')
  announce(config, app.firstSignIn)
  // The parent process may start the demo city alongside the server; see scripts/start.mjs.
  if (process.send) {
    const isWanted = config.demo && !(await isDemoRemoved(app.ctx.db))
    const token = isWanted ? await app.people.lendDemoSession() : null
    process.send({
      kind: 'ready',
      url: app.url,
      demo: token === null ? null : { token, mqttPort: config.mqttPort },
    })
  }

  const code = await stop.promise
  log.info('stopping')
  setTimeout(
    () => {
      log.error('the stop took too long and is given up')
      process.exit(1)
    },
    code === 0 ? stopTimeoutMs : lostTimeoutMs,
  ).unref()
  await app[Symbol.asyncDispose]()
  log.info('stopped')
  process.exit(code)
}

async function runReset(config: Config): Promise<void> {
  const log = createLog('warn')
  await using app = await createApp({ ...config, port: 0, demo: false, metrics: {} }, log)
  announce(config, await resetAdmin(app.ctx))
}

/** Prints the sign-in details once. They are printed, not logged, because logs are kept. */
function announce(config: Config, first: FirstSignIn | null): void {
  const lines = [`Leitstand: ${config.publicUrl}`]
  if (first) lines.push(`User:      ${first.username}`)
  if (first?.password) lines.push(`Password:  ${first.password}   (shown only now)`)
  console.log(`\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
}
