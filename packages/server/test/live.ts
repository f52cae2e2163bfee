import type { LiveClientMessage, LiveServerMessage, LiveTopic } from '@leitstand/contract/live'
import WebSocket from 'ws'
import type { TestApp } from './kit.ts'

export interface LiveReader extends Disposable {
  /** Subscribes and returns everything up to and including the confirmation or refusal. */
  follow(topic: LiveTopic, sinceMs?: number): Promise<LiveServerMessage[]>
  /** All messages the server has sent so far: waits for the reply to a ping. */
  received(): Promise<LiveServerMessage[]>
  /** Resolves when the connection has closed, with the server's code and reason. */
  closed: Promise<{ code: number; reason: string }>
  send(message: LiveClientMessage): void
}

/** A client of the live connection, signed in with a token. */
export async function openLive(app: Pick<TestApp, 'url'>, token: string): Promise<LiveReader> {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/api/live`)
  let messages: LiveServerMessage[] = []
  let wake: () => void = () => undefined
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)) as LiveServerMessage)
    wake()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const send = (message: LiveClientMessage) => socket.send(JSON.stringify(message))
  const until = async (kinds: LiveServerMessage['kind'][]): Promise<LiveServerMessage[]> => {
    while (!messages.some(({ kind }) => kinds.includes(kind))) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const end = await Promise.race([woken, closed])
      if (end) throw new Error(`the live connection was closed: ${end.code} ${end.reason}`)
    }
    const taken = messages
    messages = []
    return taken
  }
  send({ kind: 'hello', token })
  await until(['welcome'])
  return {
    closed,
    send,
    follow: (topic, sinceMs) => {
      send({ kind: 'subscribe', topic, ...(sinceMs === undefined ? {} : { sinceMs }) })
      return until(['subscribed', 'refused'])
    },
    received: async () => {
      send({ kind: 'ping' })
      const all = await until(['pong'])
      return all.filter(({ kind }) => kind !== 'pong')
    },
    [Symbol.dispose]: () => socket.terminate(),
  }
}
