import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startPlatform } from './platform.ts'
import { type Platform, root } from './server.ts'

/** The map of the demo city. */
const map = join(root, 'packages', 'bench', 'src', 'demo', 'map', 'map.geojson')

/**
 * A platform with the demo city as `npm start` builds it.
 * @param days of history
 */
export async function startDemoCity(days: number): Promise<Platform & AsyncDisposable> {
  await using begun = new AsyncDisposableStack()
  const platform = begun.use(await startPlatform({ MAP_LOCAL: map }))
  const child = spawn(process.execPath, [join(root, 'packages', 'bench', 'src', 'demo', 'main.ts')], {
    cwd: root,
    env: {
      ...process.env,
      LEITSTAND_URL: platform.url,
      LEITSTAND_TOKEN: await platform.login(),
      LEITSTAND_MQTT_PORT: String(platform.mqttPort),
      LEITSTAND_DEMO_DAYS: String(days),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  begun.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const isReady = (async () => {
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('ready')) return true
    return false
  })()
  if (!(await isReady)) throw new Error('the demo city ended before it was ready')
  // What it says later is not read, and must not block it.
  child.stdout.resume()
  const held = begun.move()
  return { ...platform, [Symbol.asyncDispose]: () => held.disposeAsync() }
}
