import type { CronTrigger } from '@leitstand/contract/rules/triggers/cron'
import { CronExpressionParser } from 'cron-parser'
import type { TriggerDefinition } from '../types.ts'

/** A time zone for checks; whether an expression is valid does not depend on it. */
const anyZone = 'UTC'

export const cron: TriggerDefinition<CronTrigger> = {
  check({ expression }) {
    try {
      CronExpressionParser.parse(expression, { tz: anyZone }).next()
      return []
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return [{ path: ['expression'], message, text: 'cronInvalid' }]
    }
  },
  next({ expression }, after, timeZone) {
    return CronExpressionParser.parse(expression, { currentDate: after, tz: timeZone }).next().toDate()
  },
}
