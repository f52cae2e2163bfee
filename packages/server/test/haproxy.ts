import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { accepts, freePort } from './ports.ts'

const run = promisify(execFile)
const places = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy']

export interface Balanced {
  port: number
  mqttPort: number
}

/** A real haproxy in front of nodes: HTTP and MQTT each on a port of its own. */
export interface Haproxy extends AsyncDisposable, Balanced {
  url: string
}

/** Starts it; a node that is not ready gets nothing, and its connections are closed. */
export async function startHaproxy(nodes: readonly Balanced[]): Promise<Haproxy> {
  const program = await haproxyProgram()
  const folder = mkdtempSync(join(tmpdir(), 'leitstand-haproxy-'))
  const [port, mqttPort] = [await freePort(), await freePort()]
  const listen = (mode: 'http' | 'tcp', at: number, of: (node: Balanced) => number) => [
    `listen ${mode}`,
    `  bind 127.0.0.1:${at}`,
    `  mode ${mode}`,
    '  option httpchk GET /readyz?role=connect',
    '  option redispatch',
    '  default-server inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions',
    ...nodes.map((node, index) => `  server node${index} 127.0.0.1:${of(node)} check port ${node.port}`),
  ]
  const lines = [
    'defaults',
    '  timeout connect 2s',
    '  timeout check 5s',
    '  timeout client 10m',
    '  timeout server 10m',
    ...listen('http', port, (node) => node.port),
    ...listen('tcp', mqttPort, (node) => node.mqttPort),
  ]
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (text) => {
    output = `${output}${text}`.slice(-4000)
  })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  await accepts(mqttPort, child)
  if (child.exitCode !== null) throw new Error(`haproxy did not start: ${output}`)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    mqttPort,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The path of haproxy; installed with apt-get where that is possible. */
export async function haproxyProgram(): Promise<string> {
  const found = places.find((place) => existsSync(place))
  if (found) return found
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'haproxy'])
    const installed = places.find((place) => existsSync(place))
    if (installed) return installed
  }
  throw new Error('The tests need haproxy: install it, e.g. with "apt-get install haproxy"')
}
