import { LIMITS } from '../types.ts'

/**
 * Whether a script that was stopped by the timer had not had its time: the timer measures time on the wall, and on a
 * machine that is busy elsewhere a script may be stopped without having run.
 * @param cpu what this process has used since the script was started
 */
export function wasStarved({ user, system }: NodeJS.CpuUsage): boolean {
  return user + system < (LIMITS.timeoutMs * 1000) / 2
}
