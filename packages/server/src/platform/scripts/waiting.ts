/** Calls that wait for a process: one line per group, served in turn, bounded in number and in size. */
import type { PendingCall } from './engine.ts'
import { LIMITS } from './types.ts'

export class WaitingCalls {
  /** The first group has the next turn. */
  private readonly lines = new Map<string, PendingCall[]>()
  private chars = 0
  size = 0

  /** False when there is no room. */
  add(call: PendingCall): boolean {
    if (this.size >= LIMITS.waitingCalls || this.chars + call.json.length > LIMITS.waitingChars) return false
    const { group } = call.definition
    const line = this.lines.get(group)
    if (line === undefined) this.lines.set(group, [call])
    else line.push(call)
    this.size++
    this.chars += call.json.length
    return true
  }

  peek(): PendingCall | undefined {
    const [line] = this.lines.values()
    return line?.[0]
  }

  /** Takes what `peek` showed; its group goes to the end. */
  shift(): PendingCall | undefined {
    const [first] = this.lines
    if (first === undefined) return undefined
    const [group, line] = first
    const call = line.shift()
    this.lines.delete(group)
    if (line.length > 0) this.lines.set(group, line)
    if (call !== undefined) {
      this.size--
      this.chars -= call.json.length
    }
    return call
  }

  drain(): PendingCall[] {
    const all = [...this.lines.values()].flat()
    this.lines.clear()
    this.size = 0
    this.chars = 0
    return all
  }
}
