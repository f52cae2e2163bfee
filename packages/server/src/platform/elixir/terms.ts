/** Writes values in Erlang's external term format, which a BEAM process can read natively. */

/** An atom; all other text becomes a binary. */
export class Atom {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A tuple of several values. */
export class Tuple {
  readonly items: readonly unknown[]
  constructor(...items: unknown[]) {
    this.items = items
  }
}

const version = Buffer.from([131])

/** JSON values, byte arrays, atoms and tuples as a term. Text becomes UTF-8, `undefined` and `null` the atom nil. */
export function toTerm(value: unknown): Buffer {
  const parts: Buffer[] = [version]
  write(value, parts)
  return Buffer.concat(parts)
}

function write(value: unknown, parts: Buffer[]): void {
  if (value === null || value === undefined) writeAtom('nil', parts)
  else if (typeof value === 'boolean') writeAtom(String(value), parts)
  else if (typeof value === 'string') writeBinary(Buffer.from(value), parts)
  else if (typeof value === 'number') writeNumber(value, parts)
  else if (value instanceof Uint8Array) writeBinary(value, parts)
  else if (value instanceof Atom) writeAtom(value.name, parts)
  else if (value instanceof Tuple) {
    parts.push(Buffer.from([104, value.items.length]))
    for (const item of value.items) write(item, parts)
  } else if (Array.isArray(value)) writeList(value, parts)
  else if (typeof value === 'object') writeMap(Object.entries(value), parts)
  else throw new Error(`a ${typeof value} is no term`)
}

function head(tag: number, length: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes[0] = tag
  bytes.writeUInt32BE(length, 1)
  return bytes
}

function writeAtom(name: string, parts: Buffer[]): void {
  const bytes = Buffer.from(name)
  parts.push(Buffer.from([119, bytes.length]), bytes)
}

function writeBinary(bytes: Uint8Array, parts: Buffer[]): void {
  parts.push(head(109, bytes.length), Buffer.from(bytes))
}

function writeNumber(value: number, parts: Buffer[]): void {
  if (Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31) {
    const bytes = Buffer.alloc(5)
    bytes[0] = 98
    bytes.writeInt32BE(value, 1)
    parts.push(bytes)
  } else if (Number.isSafeInteger(value)) {
    const bytes = Buffer.alloc(11)
    bytes[0] = 110
    bytes[1] = 8
    bytes[2] = value < 0 ? 1 : 0
    bytes.writeBigUInt64LE(BigInt(Math.abs(value)), 3)
    parts.push(bytes)
  } else {
    const bytes = Buffer.alloc(9)
    bytes[0] = 70
    bytes.writeDoubleBE(value, 1)
    parts.push(bytes)
  }
}

function writeList(items: readonly unknown[], parts: Buffer[]): void {
  if (items.length > 0) {
    parts.push(head(108, items.length))
    for (const item of items) write(item, parts)
  }
  parts.push(Buffer.from([106]))
}

function writeMap(entries: readonly [string, unknown][], parts: Buffer[]): void {
  parts.push(head(116, entries.length))
  for (const [key, value] of entries) {
    write(key, parts)
    write(value, parts)
  }
}
