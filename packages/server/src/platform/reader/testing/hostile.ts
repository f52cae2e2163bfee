/** Behaves like an attacker who controls a reader process; for tests. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'

const deeds = {
  /** never returns */
  spin(): never[] {
    for (;;);
  },
  /** memory outside of V8's heap */
  native(): never[] {
    const kept: Buffer[] = []
    for (;;) kept.push(Buffer.alloc(50_000_000, 1))
  },
  heap(): never[] {
    const kept: number[][] = []
    for (;;) kept.push(Array<number>(100_000).fill(0.5))
  },
  crash(): never[] {
    return process.abort()
  },
  exit(): never[] {
    return process.exit(0)
  },
  throws(): never[] {
    throw new Error('a bug of a library')
  },
  /** a part longer than allowed */
  *long() {
    yield 'x'.repeat(3_000_000)
  },
  *many() {
    for (;;) yield 'x'
  },
  *wrong() {
    yield { not: 'a text' }
  },
  *niceness() {
    yield String(getPriority())
  },
  /** everything a process might want to read or do */
  *snoop() {
    yield JSON.stringify(process.env)
    yield tried(() => readFileSync('/etc/passwd', 'utf8'))
    yield tried(() => readdirSync('/').join())
    yield tried(() => writeFileSync('/tmp/leitstand-was-here', ''))
    yield tried(() => execFileSync('/bin/sh', ['-c', 'id']).toString())
  },
} as const
export type Deed = keyof typeof deeds

function tried(deed: () => unknown): string {
  try {
    return `done: ${String(deed())}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'failed'
  }
}

/** Does what the input names, or returns how many bytes it got and how often it was called before. */
let asked = 0
export default function read(
  bytes: Uint8Array,
  deed: Deed | null,
): Iterable<unknown> | AsyncIterable<unknown> {
  if (deed !== null) return deeds[deed]()
  asked += 1
  return [`${bytes.length} bytes, file ${asked}`]
}
