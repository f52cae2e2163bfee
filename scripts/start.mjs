// `npm start`: installs packages, builds what is stale, starts the server and, if enabled, the demo city.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildConsole, checkNode, environment, installPackages, node, root, serverOptions } from './lib.mjs'
import { whenParentEnds } from './parent.mjs'

checkNode()
await installPackages()
const args = process.argv.slice(2)
if (!args.includes('--reset-admin')) await buildConsole()

/** The map of the demo city, if the server runs with it. */
function demoMap() {
  const { DEMO, DATABASE_URL, MAP_LOCAL, MAP_TILES } = process.env
  const hasDemo = DEMO === undefined ? DATABASE_URL === undefined : !/^(0|false|no|off)$/.test(DEMO)
  if (!hasDemo || (MAP_LOCAL ?? MAP_TILES) !== undefined) return {}
  return { DEMO_MAP: join(root, 'packages', 'bench', 'src', 'demo', 'map', 'map.geojson') }
}

const server = spawn(node, [join(root, 'packages', 'server', 'src', 'main.ts'), ...args], {
  cwd: root,
  env: environment({ ...serverOptions(), ...demoMap() }),
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
})
let demo

// The demo city talks to the server from outside, like real devices and people; the server only gives it a
// session.
server.on('message', (message) => {
  if (message?.kind !== 'ready' || !message.demo || demo) return
  demo = spawn(node, [join(root, 'packages', 'bench', 'src', 'demo', 'main.ts')], {
    cwd: root,
    env: environment({
      LEITSTAND_URL: message.url,
      LEITSTAND_TOKEN: message.demo.token,
      LEITSTAND_MQTT_PORT: String(message.demo.mqttPort),
    }),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  demo.on('error', (error) => console.error(`The demo city could not be started: ${error.message}`))
})

const stop = () => {
  demo?.kill('SIGTERM')
  server.kill('SIGTERM')
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
// Only under npm: users who start this script from a shell may close that shell.
if (process.env.npm_lifecycle_event !== undefined) whenParentEnds(stop)
server.on('error', (error) => {
  console.error(`The server could not be started: ${error.message}`)
  process.exitCode = 1
})
server.on('exit', (code, signal) => {
  demo?.kill('SIGTERM')
  process.exitCode = signal === null ? (code ?? 1) : 1
})
