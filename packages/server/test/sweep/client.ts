/** Sends requests from a separate thread, so that the client's computation does not count as the server's. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Sent } from './operations.ts'

const { url } = workerData as { url: string }

parentPort?.on('message', async ({ method, path, headers, body }: Sent) => {
  try {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    })
    const text = await answer.text()
    const code = /"code":"(\w+)"/.exec(text.slice(0, 500))?.[1] ?? ''
    parentPort?.postMessage({ status: answer.status, code, text: text.slice(0, 300) })
  } catch (error) {
    // The server closed the connection.
    parentPort?.postMessage({ status: 0, code: '', text: String(error) })
  }
})
