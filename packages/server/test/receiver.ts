import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A real HTTP server that takes what others post, on a free port of this machine. */
export interface TestReceiver extends AsyncDisposable {
  url: string
  received: Received[]
  /** answers the next requests; undefined: 204 */
  answer: ((response: ServerResponse, request: Received) => void) | undefined
}

export async function startReceiver(): Promise<TestReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const taken = { method, path: url, headers, body: Buffer.concat(chunks) }
      receiver.received.push(taken)
      if (receiver.answer) receiver.answer(response, taken)
      else response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: TestReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
