import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

/** A DNS server on a free UDP port of this machine. */
export interface TestDns extends AsyncDisposable {
  /** for the configuration */
  address: string
  /** queried names */
  asked: Set<string>
  /** the IPv4 address of each known name; can be changed at any time */
  addresses: Map<string, string>
  /** the TXT records of names, each at most 255 characters; can be changed at any time */
  texts: Map<string, readonly string[]>
  /** while set it replies SERVFAIL */
  failing: boolean
}

const [noError, serverFailure, noSuchName] = [0, 2, 3]
const [typeA, typeText] = [1, 16]

/** @param names the known names, each with the address 192.0.2.1; all others get NXDOMAIN */
export async function startDns(names: readonly string[]): Promise<TestDns> {
  const socket = createSocket('udp4')
  const dns: Omit<TestDns, 'address' | typeof Symbol.asyncDispose> = {
    asked: new Set(),
    addresses: new Map(names.map((name) => [name, '192.0.2.1'])),
    texts: new Map(),
    failing: false,
  }
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query)
    dns.asked.add(name)
    const question = query.subarray(12, end)
    const answers = dns.failing ? [] : answersOf(dns, name, type)
    const known = dns.addresses.has(name) || dns.texts.has(name)
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    // a reply, recursion desired and available
    header.writeUInt16BE(0x8180 | (dns.failing ? serverFailure : known ? noError : noSuchName), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    socket.send(Buffer.concat([header, question, ...answers]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address() as AddressInfo
  return Object.assign(dns, {
    address: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  })
}

function answersOf({ addresses, texts }: Pick<TestDns, 'addresses' | 'texts'>, name: string, type: number) {
  const address = addresses.get(name)
  if (type === typeA && address !== undefined)
    return [answer(type, Buffer.from(address.split('.').map(Number)))]
  if (type !== typeText) return []
  return (texts.get(name) ?? []).map((text) =>
    answer(type, Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')])),
  )
}

/** Name by reference to the question, class IN, 60 s. */
function answer(type: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data])
}

/** The first name of a query, its type, and where the question ends. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}
