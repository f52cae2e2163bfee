/**
 * A sandbox process: receives calls from the server over a pipe (file descriptor 3), runs them in isolates,
 * and alternates between the groups, so that one account's slow scripts do not delay another's. It is a
 * process and not a thread, because V8 ends the whole process when a script allocates too much memory at once
 * (`new Array(1e8)` does).
 */
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { FRAME, readFrames, writeFrame } from '../frames.ts'
import { type Definition, encodeMark, MARK_BYTES, type RunHead } from '../protocol.ts'
import { Shares } from '../shares.ts'
import { LIMITS } from '../types.ts'
import { type Call, isSingle, newCall, step, takePart } from './calls.ts'
import { checkScript } from './check.ts'
import { Isolates } from './isolates.ts'

const pipe = new Socket({ fd: 3 })
const MARK_FD = 4
const mark = Buffer.alloc(MARK_BYTES)
const isolates = new Isolates()
const definitions = new Map<string, Definition>()
/** Unfinished calls, per group. */
const queue = new Map<string, Call[]>()
const shares = new Shares()
let scheduled = false
let saidAliveAt = 0
const ALIVE_EVERY_MS = 250

function accept(call: Call): void {
  const { group } = call.definition
  const waiting = queue.get(group)
  if (waiting === undefined) queue.set(group, [call])
  else waiting.push(call)
  schedule()
}

function schedule(): void {
  if (scheduled || queue.size === 0) return
  scheduled = true
  setImmediate(turn)
}

/**
 * Runs one slice of the first call of the group that has used the least time; then the group goes to the end.
 */
function turn(): void {
  scheduled = false
  const began = performance.now()
  const [group, calls] = (queue.size > 1 ? shares.least(queue, began) : [...queue][0]) ?? []
  const call = calls?.[0]
  if (group === undefined || calls === undefined || call === undefined) return
  queue.delete(group)
  encodeMark(mark, { call: call.id, next: call.next, single: isSingle(call) })
  writeSync(MARK_FD, mark, 0, MARK_BYTES, 0)
  step(call, isolates)
  if (call.next >= call.head.total) {
    calls.shift()
    writeFrame(pipe, FRAME.result, call.id, takePart(call))
  } else if (call.chars >= LIMITS.partChars) writeFrame(pipe, FRAME.part, call.id, takePart(call))
  else sayAlive()
  if (calls.length > 0) queue.set(group, calls)
  const now = performance.now()
  shares.add(group, now - began, now)
  schedule()
}

function sayAlive(): void {
  const now = performance.now()
  if (now - saidAliveAt < ALIVE_EVERY_MS) return
  saidAliveAt = now
  writeFrame(pipe, FRAME.alive, 0)
}

readFrames(pipe, LIMITS.frameBytesTo, (type, id, text) => {
  switch (type) {
    case FRAME.define: {
      const definition = JSON.parse(text) as Definition
      definitions.set(definition.key, definition)
      break
    }
    case FRAME.forget:
      definitions.delete(text)
      isolates.forget(text)
      break
    case FRAME.run: {
      const cut = text.indexOf('\n')
      const head = JSON.parse(text.slice(0, cut)) as RunHead
      const definition = definitions.get(head.key)
      // The server defines every script before it runs it, and removes it only when it has no calls in
      // flight.
      if (definition === undefined) throw new Error(`Script ${head.key} was never defined`)
      accept(newCall(id, head, definition, text.slice(cut + 1)))
      break
    }
    case FRAME.check: {
      const definition = JSON.parse(text) as Definition
      writeFrame(pipe, FRAME.checked, id, JSON.stringify(checkScript(definition, isolates)))
      break
    }
  }
})

// The server has exited, so the results are not needed.
pipe.on('close', () => process.exit(0))
pipe.on('error', () => process.exit(0))
isolates.proveReady()
writeFrame(pipe, FRAME.ready, 0)
