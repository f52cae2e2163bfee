import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

/** A DNS server on a free UDP port of this machine. */
export interface TestDns extends AsyncDisposable {
  /** for the configuration */
  address: string
  /** names that were asked for */
  asked: Set<string>
}

const [noError, noSuchName] = [0, 3]

/** @param names those it knows, each with the address 192.0.2.1; of all others it says that they do not exist */
export async function startDns(names: readonly string[]): Promise<TestDns> {
  const known = new Set(names)
  const asked = new Set<string>()
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readQuestion(query)
    asked.add(name)
    const question = query.subarray(12, end)
    const found = known.has(name)
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    // a reply, recursion desired and available
    header.writeUInt16BE(0x8180 | (found ? noError : noSuchName), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(found ? 1 : 0, 6)
    // name by reference to the question, type A, class IN, 60 s, four bytes
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1])
    socket.send(Buffer.concat([header, question, ...(found ? [answer] : [])]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

/** The first name of a query, and where its question ends. */
function readQuestion(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 }
}
