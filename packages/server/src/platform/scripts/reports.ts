/** Reports which account hit which limit, at most once a second for each. */
import type { PendingCall } from './calls.ts'
import type { ScriptLimit } from './types.ts'

const EVERY_MS = 1_000
const NAMES_MAX = 1_000

export class Reports {
  private readonly toldAt = new Map<string, number>()
  private readonly tell: ((account: number, limit: ScriptLimit, detail: string) => void) | undefined

  constructor(tell: ((account: number, limit: ScriptLimit, detail: string) => void) | undefined) {
    this.tell = tell
  }

  note({ account, script }: Pick<PendingCall, 'account' | 'script'>, limit: ScriptLimit, now: number): void {
    if (account === null || this.tell === undefined) return
    const name = `${account} ${limit}`
    if (now - (this.toldAt.get(name) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
    this.toldAt.delete(name)
    this.toldAt.set(name, now)
    const [oldest] = this.toldAt.keys()
    if (this.toldAt.size > NAMES_MAX && oldest !== undefined) this.toldAt.delete(oldest)
    this.tell(account, limit, script)
  }
}
