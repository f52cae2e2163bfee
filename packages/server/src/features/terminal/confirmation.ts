import { terminalLimits } from '@leitstand/contract/terminal'
import * as z from 'zod'
import type { Context } from '../../platform/context.ts'

interface Given {
  userId: number
  sessionId: number
  line: string
}

const purpose = 'terminal'
const Sealed = z.object({ userId: z.int(), sessionId: z.int(), line: z.string(), untilMs: z.number() })

/** What confirms a preview: for this line, in this session, for two minutes, on every node. */
export function confirmationOf({ secrets, clock }: Pick<Context, 'secrets' | 'clock'>, given: Given): string {
  const untilMs = clock.now().getTime() + terminalLimits.confirmMs
  return secrets.seal(JSON.stringify({ ...given, untilMs }), purpose)
}

export function isConfirmed(
  { secrets, clock }: Pick<Context, 'secrets' | 'clock'>,
  confirmation: string | undefined,
  { userId, sessionId, line }: Given,
): boolean {
  const opened = confirmation === undefined ? null : secrets.tryOpen(confirmation, purpose)
  if (opened === null) return false
  const sealed = Sealed.parse(JSON.parse(opened))
  return (
    sealed.userId === userId &&
    sealed.sessionId === sessionId &&
    sealed.line === line &&
    clock.now().getTime() < sealed.untilMs
  )
}
