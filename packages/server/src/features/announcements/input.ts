import type { AnnouncementInput } from '@leitstand/contract/announcements'
import { AppError } from '../../platform/errors.ts'

const titleLengthMax = 100

/** An announcement has no title: its beginning, for the activity log. */
export function titleOf(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > titleLengthMax ? `${line.slice(0, titleLengthMax - 1)}…` : line
}

/**
 * When something happens next to an announcement; null: nothing more.
 * @throws AppError ANNOUNCEMENT_ENDED
 */
export function nextOf(
  { active, start, end }: Pick<AnnouncementInput, 'active' | 'start' | 'end'>,
  now: Date,
) {
  if (!active) return null
  if (end !== null && new Date(end) <= now) throw new AppError('ANNOUNCEMENT_ENDED')
  if (start !== null && new Date(start) > now) return new Date(start)
  return end === null ? null : new Date(end)
}
