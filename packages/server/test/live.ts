import type { LiveClientMessage, LiveServerMessage, LiveTopic } from '@leitstand/contract/live'
import WebSocket from 'ws'
import type { TestApp } from './kit.ts'

export interface LiveReader extends Disposable {
  /** Subscribes and answers everything up to the confirmation or the refusal, with it. */
  follow(topic: LiveTopic, sinceMs?: number): Promise<LiveServerMessage[]>
  /** Everything the server has sent by now: it answers a ping after it. */
  received(): Promise<LiveServerMessage[]>
}

/** A reader of the live connection, signed in with a token. */
export async function openLive(app: TestApp, token: string): Promise<LiveReader> {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/api/live`)
  let messages: LiveServerMessage[] = []
  let wake: () => void = () => undefined
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)) as LiveServerMessage)
    wake()
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const send = (message: LiveClientMessage) => socket.send(JSON.stringify(message))
  const until = async (kinds: LiveServerMessage['kind'][]): Promise<LiveServerMessage[]> => {
    while (!messages.some(({ kind }) => kinds.includes(kind))) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    const taken = messages
    messages = []
    return taken
  }
  send({ kind: 'hello', token })
  await until(['welcome'])
  return {
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
