import { createApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type FirstSignIn, resetAdmin } from './features/people/index.ts'
import { StartError } from './platform/errors.ts'
import { createLog } from './platform/log.ts'

/** A stop that takes longer is given up; accepted data is in the database already. */
const stopTimeoutMs = 10_000
/** Without the database nothing can be finished, and whoever starts us again should not have to wait for it. */
const lostTimeoutMs = 1_000

process.title = 'leitstand'
process.umask(0o077)

try {
  const config = readConfig(process.env, process.env.INIT_CWD ?? process.cwd())
  if (process.argv.includes('--reset-admin')) await runReset(config)
  else await runServer(config)
} catch (error) {
  // A sentence a person can act on, without a stack; anything else is a mistake of ours and shows all it knows.
  if (error instanceof ConfigError || error instanceof StartError) console.error(`\n${error.message}\n`)
  else console.error(error)
  process.exit(1)
}

async function runServer(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  const stop = Promise.withResolvers<number>()
  // Not once: a supervisor and `npm start` may both pass a signal on, and the second must not cut the stop short.
  process.on('SIGTERM', () => stop.resolve(0))
  process.on('SIGINT', () => stop.resolve(0))
  const app = await createApp(config, log, {
    onLost: (error) => {
      log.fatal({ err: error }, 'the database is lost')
      stop.resolve(1)
    },
  })
  log.info({ url: app.url }, 'Leitstand is ready')
  announce(config, app.firstSignIn)
  // Whoever started us may start the demo city beside us; see scripts/start.mjs.
  if (process.send) {
    const token = config.demo ? await app.people.lendDemoSession() : null
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

/** Tells once how to sign in. It is printed, not logged: logs are kept. */
function announce(config: Config, first: FirstSignIn | null): void {
  const lines = [`Leitstand: ${config.publicUrl}`]
  if (first) lines.push(`User:      ${first.username}`)
  if (first?.password) lines.push(`Password:  ${first.password}   (shown only now)`)
  console.log(`\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
}
