import { AppError } from '../../platform/errors.ts'
import type { Issue } from './types.ts'

/** @throws AppError VALIDATION_ERROR with the issues, if there are any */
export function refuseIssues(issues: readonly Issue[]): void {
  const first = issues[0]
  if (first) throw new AppError('VALIDATION_ERROR', { issues }, `${first.path.join('.')}: ${first.message}`)
}
