/**
 * Calls that wait for a process: one queue per group, limited in number and size. The group whose scripts
 * have used the least time recently goes first, so that a group is only slowed by its own scripts while
 * others wait.
 */
import type { PendingCall } from './calls.ts'
import type { Shares } from './shares.ts'
import { LIMITS } from './types.ts'

interface Line {
  readonly name: string
  readonly calls: PendingCall[]
  chars: number
}

/** A group's calls that come last wait apart from its others, which need not wait for their breaks. */
function lineOf({ definition, pool, last }: PendingCall): string {
  return pool === last ? `${definition.group} last` : definition.group
}

export class WaitingCalls {
  /** In order of arrival or of their last turn. */
  private readonly lines = new Map<string, Line>()
  private chars = 0
  size = 0

  /** False when there is no room: a queue may be as long as the room left for all others. */
  add(call: PendingCall): boolean {
    const name = lineOf(call)
    const line = this.lines.get(name) ?? { name, calls: [], chars: 0 }
    const chars = call.text.length
    if (line.calls.length >= LIMITS.waitingCalls - this.size) return false
    if (line.chars + chars > LIMITS.waitingChars - this.chars) return false
    line.calls.push(call)
    line.chars += chars
    this.lines.set(name, line)
    this.size++
    this.chars += chars
    return true
  }

  /**
   * Takes the next call that can be sent; its group goes to the end.
   * @param passed called with a group that has waited longer and was passed over because it has used more
   */
  take(
    canSend: (call: PendingCall) => boolean,
    shares: Shares,
    now: number,
    passed: (call: PendingCall) => void = () => undefined,
  ): PendingCall | undefined {
    const able = [...this.lines.values()].flatMap((line): [string, Line][] => {
      const [first] = line.calls
      return first !== undefined && canSend(first) ? [[first.owner, line]] : []
    })
    const [, line] = shares.least(able, now) ?? []
    const call = line?.calls.shift()
    if (line === undefined || call === undefined) return undefined
    for (const [, { calls }] of able) {
      const [first] = calls
      if (calls === line.calls) break
      if (first !== undefined) passed(first)
    }
    this.lines.delete(line.name)
    if (line.calls.length > 0) this.lines.set(line.name, line)
    line.chars -= call.text.length
    this.size--
    this.chars -= call.text.length
    return call
  }

  drain(): PendingCall[] {
    const all = [...this.lines.values()].flatMap(({ calls }) => calls)
    this.lines.clear()
    this.size = 0
    this.chars = 0
    return all
  }
}
