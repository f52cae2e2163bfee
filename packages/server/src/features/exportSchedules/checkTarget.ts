import type { ExportScheduleInput } from '@leitstand/contract/exportSchedules'
import { Allowance } from '../../platform/allowance.ts'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { checkTarget, readFingerprint, TargetError } from '../fileTargets/index.ts'

/** Targets that somebody tries. */
const rate = { perSecond: 30 / 3600, burst: 10 } as const
const timeoutMs = 30_000

type SecretsOf = (
  caller: Caller,
  input: Pick<ExportScheduleInput, 'targets' | 'copyOf'>,
) => Promise<(string | null)[]>

/** Tries a server before files are sent to it. */
export function checkRoute({ clock, outgoing }: Pick<Context, 'clock' | 'outgoing'>, secretsOf: SecretsOf) {
  const allowance = new Allowance<string>(rate)

  /** @throws AppError EXPORT_SCHEDULE_TEST_TOO_MANY */
  function spend({ userId, name }: Caller): void {
    const who = String(userId ?? name)
    const now = clock.now().getTime()
    if (allowance.waitMs(who, now) > 0) throw new AppError('EXPORT_SCHEDULE_TEST_TOO_MANY')
    allowance.spend(who, 1, now)
  }

  return os.exportSchedules.checkTarget.handler(async ({ input, context: { caller } }) => {
    const tools = { outgoing, signal: AbortSignal.timeout(timeoutMs) }
    if (input.what === 'fingerprint') {
      spend(caller)
      return tried(async () => ({ fingerprint: await readFingerprint(tools, input), left: null }))
    }
    const { target, secret, copyOf, position } = input
    const asked = { kind: 'file' as const, target, ...(secret === undefined ? {} : { secret }) }
    const targets = [...Array.from({ length: position }, () => placeholder), asked]
    const secrets = await secretsOf(caller, { targets, ...(copyOf === undefined ? {} : { copyOf }) })
    spend(caller)
    return tried(async () => ({
      fingerprint: null,
      ...(await checkTarget(tools, target, secrets[position] ?? '')),
    }))
  })
}

/** What keeps the place of another target, which needs no secret. */
const placeholder = { kind: 'mail' as const, recipients: [], attach: 'link' as const }

/** @throws AppError EXPORT_SCHEDULE_TARGET_FAILED */
async function tried<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    const { failure: reason, message: detail } = error
    throw new AppError('EXPORT_SCHEDULE_TARGET_FAILED', { reason, detail })
  }
}
