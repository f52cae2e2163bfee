import type { ExportTargetInput } from '@leitstand/contract/exportSchedules'
import type { FileTarget } from '@leitstand/contract/fileTargets'
import type { Secrets } from '../../platform/secrets.ts'
import type { ScheduleRow } from './schedules.store.ts'

interface Place {
  scheduleId: number
  /** of the target */
  position: number
}

const purposeOf = ({ scheduleId, position }: Place) => `exportSchedule:${scheduleId}:${position}`

export function sealSecret(secrets: Secrets, text: string, place: Place): string {
  return secrets.seal(text, purposeOf(place))
}

/** The secret of a target; null when it was sealed with another key of the installation. */
export function openSecret(secrets: Secrets, sealed: string, place: Place): string | null {
  return secrets.tryOpen(sealed, purposeOf(place))
}

/**
 * Secrets that targets take from the schedule of which they are copies, by position: only for the same kind of server at the
 * same address, so that nobody sends a secret that they do not know to a server of their own.
 */
export function keptSecrets(
  secrets: Secrets,
  original: Pick<ScheduleRow, 'id' | 'targets'>,
  targets: readonly ExportTargetInput[],
): (string | null)[] {
  return targets.map((target, position) => {
    const before = original.targets[position]
    if (target.kind !== 'file' || before?.kind !== 'file' || before.secret === null) return null
    if (serverOf(target.target) !== serverOf(before.target)) return null
    return openSecret(secrets, before.secret, { scheduleId: original.id, position })
  })
}

/** Whether a target cannot be reached without a secret. */
export function isMissingSecret(target: FileTarget): boolean {
  return target.kind !== 'webdav' || target.username !== null
}

/** The kind and the server of a target; for SFTP with the key that it shows. */
function serverOf(target: FileTarget): string {
  switch (target.kind) {
    case 'sftp':
      return `sftp ${addressOf(target)} ${target.fingerprint}`
    case 's3':
      return `s3 ${addressOf(target)} ${target.addressing}`
    case 'webdav':
      return `webdav ${addressOf(target)}`
  }
}

/** The server of a target, for people. */
export function addressOf(target: FileTarget): string {
  switch (target.kind) {
    case 'sftp':
      return `${target.host.toLowerCase()}:${target.port}`
    case 's3':
      return new URL(target.endpoint).origin
    case 'webdav':
      return new URL(target.url).origin
  }
}
