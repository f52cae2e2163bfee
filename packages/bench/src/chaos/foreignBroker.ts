import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endChild, freePort } from '../platform.ts'

const places = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/opt/homebrew/sbin/mosquitto']
const startTimeoutMs = 10_000

/** A foreign broker, which queues messages while the platform is away. */
export interface ForeignBroker extends AsyncDisposable {
  /** where the platform reaches it; devices reach it at 127.0.0.1 */
  host: string
  port: number
  pid: number
}

/**
 * Starts a mosquitto that accepts any client.
 * @param folder for its configuration
 * @returns null when mosquitto is not installed
 */
export async function openForeignBroker(folder: string, host = '127.0.0.1'): Promise<ForeignBroker | null> {
  const program = places.find((place) => existsSync(place))
  if (program === undefined) return null
  const port = await freePort()
  const file = join(folder, 'mosquitto.conf')
  const lines = [
    'allow_anonymous true',
    // No limits: dropped messages would be the broker's loss, not the platform's.
    ...['max_queued_messages 0', 'max_inflight_messages 100'],
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    ...[...new Set(['127.0.0.1', host])].map((address) => `listener ${port} ${address}`),
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const child = spawn(program, ['-c', file], { stdio: 'ignore' })
  try {
    await answers(child, port)
  } catch (error) {
    await endChild(child)
    throw error
  }
  return { host, port, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => endChild(child) }
}

async function answers(child: ChildProcess, port: number): Promise<void> {
  for (const end = Date.now() + startTimeoutMs; Date.now() < end && child.exitCode === null; ) {
    const socket = connect({ host: '127.0.0.1', port })
    const opened = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (opened) return
    await delay(20)
  }
  throw new Error('mosquitto did not start')
}
