import { LIMITS } from '../types.ts'

/**
 * Whether a script stopped by the timer did not get its CPU time: the timer measures wall time, and on a busy
 * machine a script may be stopped without having run.
 * @param cpu used by this process since the script was started
 */
export function wasStarved({ user, system }: NodeJS.CpuUsage): boolean {
  return user + system < (LIMITS.timeoutMs * 1000) / 2
}
