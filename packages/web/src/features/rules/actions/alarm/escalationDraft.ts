import type { AlarmEscalation } from '@leitstand/contract/rules/actions/alarm'

/** What is proposed when reminders are switched on. */
export function newEscalation(): AlarmEscalation {
  return { everyMinutes: 30, until: 'acknowledged', steps: [newStep([])] }
}

/** The next step: twice as long after the alarm as the latest one. */
export function newStep(steps: AlarmEscalation['steps']): AlarmEscalation['steps'][number] {
  const latest = steps.map(({ afterMinutes }) => afterMinutes).reduce((a, b) => Math.max(a, b), 0)
  return { afterMinutes: latest === 0 ? 15 : latest * 2, recipients: [] }
}
