import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endChild, freePort, keepTail } from '../platform.ts'
import { findProgram } from './program.ts'

const startTimeoutMs = 10_000
const pollMs = 20

/** A node behind the balancer. */
export interface Behind {
  host: string
  port: number
  mqttPort: number
}

/** haproxy in front of nodes, as an operator would have it. */
export interface Balancer extends AsyncDisposable {
  url: string
  port: number
  mqttPort: number
  pid: number
}

/**
 * Starts haproxy: HTTP for console, API and webhooks, TCP for MQTT. A node that is not ready gets nothing, and its
 * connections are closed, so that clients go to another one.
 * @param folder for its configuration
 */
export async function openBalancer(folder: string, nodes: readonly Behind[]): Promise<Balancer> {
  const [port, mqttPort] = [await freePort(), await freePort()]
  const servers = (of: (node: Behind) => number) =>
    nodes.map((node, at) => `  server node${at + 1} ${node.host}:${of(node)} check port ${node.port}`)
  const common = [
    '  option httpchk GET /readyz?role=connect',
    '  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
  ]
  const lines = [
    'global',
    '  maxconn 4000',
    'defaults',
    '  timeout connect 2s',
    '  timeout check 5s',
    '  timeout client 1h',
    '  timeout server 30s',
    '  timeout tunnel 1h',
    '  option redispatch',
    'listen web',
    `  bind 127.0.0.1:${port}`,
    '  mode http',
    '  option forwardfor',
    // Who is signed in stays on one node: the others know a moment later what it has written. Webhooks take turns.
    '  balance hdr(authorization)',
    ...common,
    ...servers((node) => node.port),
    'listen mqtt',
    `  bind 127.0.0.1:${mqttPort}`,
    '  mode tcp',
    '  balance leastconn',
    '  timeout server 1h',
    ...common,
    ...servers((node) => node.mqttPort),
  ]
  const file = join(folder, `haproxy-${port}.cfg`)
  writeFileSync(file, `${lines.join('\n')}\n`)
  const child = spawn(findProgram('haproxy'), ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  const said = keepTail(child)
  const balancer = {
    url: `http://127.0.0.1:${port}`,
    port,
    mqttPort,
    pid: child.pid as number,
    [Symbol.asyncDispose]: () => endChild(child),
  }
  for (const end = performance.now() + startTimeoutMs; performance.now() < end && child.exitCode === null; ) {
    if (await accepts(mqttPort)) return balancer
    await delay(pollMs)
  }
  await balancer[Symbol.asyncDispose]()
  throw new Error(`haproxy did not start: ${said()}`)
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  const opened = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  socket.destroy()
  return opened
}
