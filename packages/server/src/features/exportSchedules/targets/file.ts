import type { Context } from '../../../platform/context.ts'
import { sendFile, TargetError } from '../../fileTargets/index.ts'
import { addressOf, openSecret } from '../secrets.ts'
import type { TargetKind } from './types.ts'

/** Failures that another attempt does not mend. */
const lasting: readonly string[] = ['forbidden', 'fingerprint']

/** A server that takes files: SFTP, S3 or WebDAV. */
export function fileTarget({ outgoing, secrets }: Pick<Context, 'outgoing' | 'secrets'>): TargetKind<'file'> {
  return {
    nameOf: async (_db, { target }) => addressOf(target),
    deliver: async ({ target, secret }, { schedule, position, file, signal }) => {
      const opened = secret === null ? '' : openSecret(secrets, secret, { scheduleId: schedule.id, position })
      if (opened === null) return async () => ({ state: 'failed', reason: 'secretGone', again: false })
      try {
        await sendFile({ outgoing, signal }, target, opened, file)
        return async () => ({ state: 'sent' })
      } catch (error) {
        if (!(error instanceof TargetError)) throw error
        const { failure, message } = error
        const again = !lasting.includes(failure)
        return async () => ({ state: 'failed', reason: failure, detail: message, again })
      }
    },
  }
}
